"""Who a Markdown text mentions, by its structure, and how to write a name without calling it.

The rules are GitHub's: a mention stands in the writer's own words, not in a quote, code, a link's
text, an address or an HTML comment, and `@org/team` is nobody's login.
"""

import functools
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_ADDRESS: Final = r"\b(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<]+"
_CODE_SPAN: Final = r"(?<!`)(?P<ticks>`++)(?:(?!\n[ \t]*\n)[\s\S])+?(?<!`)(?P=ticks)(?!`)"
_SPOKEN: Final = re.compile(
    rf"{_ADDRESS}|(?<![A-Za-z0-9_/-])@(?P<login>[A-Za-z0-9]++(?:[_-][A-Za-z0-9]++)*+)(?:\[bot\])?"
    r"(?![A-Za-z0-9_/@-]|\.+[A-Za-z0-9_])",
    re.IGNORECASE,
)
_QUOTING_TAG: Final = re.compile(r"<(/?)(?:blockquote|code|pre|tt|a)\b[^>]*>", re.IGNORECASE)
_INVISIBLE: Final = "\u200b"


def bare(login: str) -> str:
    """Give a login as it is compared: lower case, without the `[bot]` of an app's account."""
    return login.lower().removesuffix("[bot]").removeprefix("@")


def mentioned(markdown: str) -> frozenset[str]:
    """Give every login the writer calls, as `bare` writes it."""
    if "@" not in markdown:
        return frozenset()
    found: set[str] = set()
    for text in _own_words(_parser().parse(markdown)):
        for match in _SPOKEN.finditer(text):
            if match["login"]:
                found.add(bare(match["login"]))
    return frozenset(found)


def silence(markdown: str, logins: Collection[str]) -> str:
    """Write the text so that it calls none of these logins (as `bare` writes them).

    An invisible space after the `@` does it; code and addresses stay as they are, so that they can
    be copied.
    """
    if not logins or "@" not in markdown:
        return markdown
    markdown = re.sub(r"\r\n?", "\n", markdown)
    names = "|".join(map(re.escape, logins))
    call = rf"(?<![A-Za-z0-9])@(?=(?:{names})(?![A-Za-z0-9/-]|_[A-Za-z0-9]))"
    prose = re.compile(rf"\\`|{_CODE_SPAN}|{_ADDRESS}|(?P<call>{call})", re.IGNORECASE)
    quiet = "".join(
        part if is_code else prose.sub(_quieter, part)
        for part, is_code in _code_and_prose(markdown)
    )
    if mentioned(quiet).isdisjoint(logins):
        return quiet
    return re.sub(call, "@" + _INVISIBLE, quiet, flags=re.IGNORECASE)


@functools.cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"])


def _own_words(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the texts outside block quotes and quoting HTML tags."""
    quoted = tagged = 0
    for token in tokens:
        match token.type:
            case "blockquote_open":
                quoted += 1
            case "blockquote_close":
                quoted -= 1
            case "html_block":
                tagged = _after_tags(token.content, tagged)
            case "inline":
                for child in token.children or ():
                    if child.type == "html_inline":
                        tagged = _after_tags(child.content, tagged)
                    elif child.type in {"link_open", "link_close"}:
                        tagged += child.nesting
                    elif child.type == "text" and not (quoted or tagged):
                        yield child.content
            case _:
                pass


def _after_tags(html: str, depth: int) -> int:
    if html.startswith("<!--"):
        return depth
    for tag in _QUOTING_TAG.finditer(html):
        depth = max(depth - 1, 0) if tag[1] else depth + 1
    return depth


def _code_and_prose(markdown: str) -> Iterator[tuple[str, bool]]:
    """Cut the text into fenced or indented code and everything else."""
    lines = markdown.split("\n")
    code = [False] * len(lines)
    for token in _parser().parse(markdown):
        if token.type in {"fence", "code_block"} and token.map:
            code[slice(*token.map)] = [True] * (min(token.map[1], len(lines)) - token.map[0])
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or code[end] != code[start]:
            last = end == len(lines)
            yield "\n".join(lines[start:end]) + ("" if last else "\n"), code[start]
            start = end


def _quieter(match: re.Match[str]) -> str:
    return match[0] + _INVISIBLE if match["call"] else match[0]
