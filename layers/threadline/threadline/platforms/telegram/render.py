"""Markdown as Telegram shows it: visible text with entities, never a markup language.

Entities cannot fail to parse, whatever the agent wrote, and do not count towards the limit.
Rich messages would carry tables, but clients that cannot show them show nothing at all, and the
Bot API does not tell which client will read.
https://core.telegram.org/bots/api#messageentity
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from threadline.core.json import Json
from threadline.core.posting import Draft, Reply, Tone
from threadline.platforms.telegram.api import ENTITIES
from threadline.platforms.telegram.payload import whole
from threadline.text.flatten import flatten
from threadline.text.styled import Span, Style, Styled, head, parts

MOST_ENTITIES: Final = 100
"""Telegram drops the entities of a message beyond this number."""

_TYPES: Final[Mapping[Style, str]] = MappingProxyType(
    {
        Style.BLOCK: "pre",
        Style.LINK: "text_link",
        Style.QUOTE: "blockquote",
        Style.CODE: "code",
        Style.BOLD: "bold",
        Style.ITALIC: "italic",
        Style.STRIKE: "strikethrough",
    }
)
"""Styles in the order in which they are kept where there are too many."""

_OF_LETTERS: Final = frozenset({Style.BOLD, Style.ITALIC, Style.STRIKE})
_RANK: Final = {style: rank for rank, style in enumerate(_TYPES)}


def render(reply: Reply, limit: int) -> tuple[Draft, ...]:
    """Give the drafts of a reply, each within `limit` UTF-16 units; of progress only the head."""
    if reply.tone is Tone.PROGRESS:
        # Markup makes the source longer than what is seen, but hardly twice.
        styled = head(flatten(_sent(reply.markdown[: limit * 2]), linkable), limit, "utf16")
        return tuple(_draft(part) for part in parts(styled, limit, "utf16")[:1])
    styled = flatten(_sent(reply.markdown), linkable)
    return tuple(_draft(part) for part in parts(styled, limit, "utf16"))


def linkable(address: str) -> bool:
    """Tell whether Telegram takes the address in a `text_link`: a web address with a full host."""
    try:
        parts_of = urlsplit(address)
        host, _ = parts_of.hostname or "", parts_of.port
    except ValueError:
        return False
    return parts_of.scheme in {"http", "https"} and "." in host.strip(".") and ":" not in host


def _sent(markdown: str) -> str:
    """Replace what Telegram refuses or drops: lone surrogates and control characters."""
    return "".join(
        char if char >= " " or char in "\n\t" else "\ufffd"
        for char in whole(markdown.replace("\r\n", "\n"))
    )


def _draft(styled: Styled) -> Draft:
    spans = sorted(_apart(styled.spans), key=lambda span: _RANK[span.style])[:MOST_ENTITIES]
    if not spans:
        return Draft(styled.text)
    # units[i] is the place in UTF-16 of code point i
    units = list(accumulate((1 + (char > "\uffff") for char in styled.text), initial=0))
    kept = sorted(spans, key=lambda span: (span.start, -span.end, _RANK[span.style]))
    entities = [_entity(span, units) for span in kept]
    return Draft(styled.text, {ENTITIES: json.dumps(entities, separators=(",", ":"))})


def _apart(spans: Sequence[Span]) -> Iterator[Span]:
    """Cut the styles of letters where code begins and ends: neither may hold the other."""
    code = [span for span in spans if span.style in {Style.CODE, Style.BLOCK}]
    for span in spans:
        start = span.start
        if span.style in _OF_LETTERS:
            for hole in code:
                if start < hole.end and hole.start < span.end:
                    if start < hole.start:
                        yield replace(span, start=start, end=hole.start)
                    start = hole.end
        if start < span.end:
            yield replace(span, start=start)


def _entity(span: Span, units: list[int]) -> dict[str, Json]:
    entity: dict[str, Json] = {
        "type": _TYPES[span.style],
        "offset": units[span.start],
        "length": units[span.end] - units[span.start],
    }
    if span.style is Style.LINK:
        entity["url"] = span.value
    elif span.style is Style.BLOCK and span.value:
        entity["language"] = span.value
    return entity
