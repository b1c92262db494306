"""What Telegram's Bot API refuses, in its own words.

https://core.telegram.org/bots/api#messageentity, https://core.telegram.org/bots/api#sendmessage
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any
from urllib.parse import urlsplit

MAX_TEXT = 4096
MAX_ENTITIES = 100
STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
CODE = {"pre", "code"}
QUOTES = {"blockquote", "expandable_blockquote"}
TYPES = {*STYLES, *CODE, *QUOTES, "text_link"}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer of the stub; `body` None drops the connection instead."""

    status: int = 200
    body: Mapping[str, Any] | bytes | None = field(default_factory=dict)


class Refusal(Exception):
    """What a rule says of a call: the answer in the shape of the Bot API."""

    def __init__(self, status: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.answer = refused(status, description, **parameters)


def refused(status: int, description: str, **parameters: int) -> Answer:
    """Give an error answer; `parameters` are retry_after or migrate_to_chat_id."""
    body: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    if parameters:
        body["parameters"] = parameters
    return Answer(status, body)


def too_many(seconds: int) -> Answer:
    """Give the answer to a call that came too soon."""
    return refused(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)


def units(text: str) -> int:
    """Count UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def check_text(text: object) -> str:
    """Refuse a text that is none, empty, too long or not Unicode."""
    if not isinstance(text, str) or not text.strip():
        raise Refusal(400, "Bad Request: message text is empty")
    try:
        size = units(text)
    except UnicodeEncodeError:
        raise Refusal(400, "Bad Request: strings must be encoded in UTF-8") from None
    if size > MAX_TEXT:
        raise Refusal(400, "Bad Request: message is too long")
    return text


def check_entities(text: str, entities: object) -> Sequence[Mapping[str, Any]]:
    """Refuse entities that point outside the text, cross each other or nest as they may not."""
    if not isinstance(entities, list):
        raise Refusal(400, "Bad Request: can't parse entities: an Array is expected")
    if len(entities) > MAX_ENTITIES:
        raise _unparsable(f"more than {MAX_ENTITIES} entities: the rest would be dropped")
    for entity in entities:
        _check_entity(text, entity)
    for one, other in combinations(entities, 2):
        _check_pair(*sorted((one, other), key=lambda e: (e["offset"], -e["length"])))
    return entities


def check_reactions(reactions: object) -> None:
    """Refuse what is no list of one ordinary reaction."""
    if not isinstance(reactions, list) or len(reactions) > 1:
        raise Refusal(400, "Bad Request: REACTIONS_TOO_MANY")
    if any(one.get("emoji") not in {"👍", "👀", "👌", "🤷", "🤔", "🎉"} for one in reactions):
        raise Refusal(400, "Bad Request: REACTION_INVALID")


def _check_entity(text: str, entity: object) -> None:
    if not isinstance(entity, dict):
        raise Refusal(400, "Bad Request: can't parse MessageEntity: expected an Object")
    if entity.get("type") not in TYPES:
        raise Refusal(400, "Bad Request: can't parse MessageEntity: Unsupported type specified")
    offset, length = entity.get("offset"), entity.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or offset < 0 or length < 1:
        raise _unparsable("offset and length must be positive")
    if offset + length > units(text):
        raise Refusal(
            400,
            f"Bad Request: entity beginning at UTF-16 offset {offset} ends after the end of the "
            f"text at UTF-16 offset {offset + length}",
        )
    raw = text.encode("utf-16-le")
    try:
        raw[offset * 2 : (offset + length) * 2].decode("utf-16-le")
    except UnicodeDecodeError:
        raise _unparsable("an entity begins or ends inside a symbol") from None
    if entity["type"] == "text_link":
        _check_address(entity.get("url"))


def _check_address(url: object) -> None:
    if not isinstance(url, str) or not url:
        raise Refusal(400, "Bad Request: can't parse MessageEntity: Can't find field \"url\"")
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https", "tg"}:
        raise Refusal(400, f"Bad Request: entity URL '{url}' is invalid: Unsupported URL protocol")
    if parts.scheme != "tg" and "." not in (parts.hostname or ""):
        raise Refusal(400, f"Bad Request: entity URL '{url}' is invalid: Wrong HTTP URL")


def _check_pair(outer: Mapping[str, Any], inner: Mapping[str, Any]) -> None:
    end = outer["offset"] + outer["length"]
    if inner["offset"] >= end:
        return
    if inner["offset"] + inner["length"] > end:
        raise _unparsable("entities cross each other")
    kinds = {outer["type"], inner["type"]}
    nested = (
        (kinds & CODE and kinds & STYLES)
        or outer["type"] in CODE
        or kinds <= QUOTES
        or kinds <= {"text_link", *CODE}
    )
    if nested:
        raise _unparsable(f"{outer['type']} cannot hold {inner['type']}")


def _unparsable(why: str) -> Refusal:
    return Refusal(400, f"Bad Request: can't parse entities: {why}")
