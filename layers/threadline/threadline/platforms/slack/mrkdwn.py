"""Styled text in Slack's own markup, which has no way to write a formatting character as itself.

Only `&`, `<` and `>` can be escaped, and that is what keeps a text from calling anybody. An `*`,
`_`, `~` or backtick counts where it opens at the edge of a word and closes at another edge in the
same line, so an invisible space stands beside one that would, and between markup and a word.
https://docs.slack.dev/messaging/formatting-message-text
"""

import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from threadline.text.styled import Span, Style, Styled

INVISIBLE: Final = "\u200b"
FENCE: Final = "```"

_MARKS: Final = MappingProxyType(
    {Style.BOLD: "*", Style.ITALIC: "_", Style.STRIKE: "~", Style.CODE: "`"}
)
_ESCAPES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_IN_ADDRESS: Final = str.maketrans({"&": "&amp;", "<": "%3C", ">": "%3E", "|": "%7C", " ": "%20"})
_AS_ITSELF: Final = MappingProxyType({"\ufdd0": "*", "\ufdd1": "_", "\ufdd2": "~", "\ufdd3": "`"})
"""What holds the place of a formatting character that is meant as itself, within a line."""

RESERVED: Final = frozenset(_AS_ITSELF)
"""Characters that no text may hold: they are replaced before."""

_MEANT: Final = str.maketrans({mark: held for held, mark in _AS_ITSELF.items()})

_EDGES: Final = frozenset(" \t\n()[]{}\"'.,;:!?-" + INVISIBLE)
_URL: Final = re.compile(r"https?://[^\s<>|`]+", re.IGNORECASE)
_BREAKS: Final = re.compile(r"`(?=``)")


@dataclass(frozen=True, slots=True)
class _Token:
    """A piece of a line: `open` and `close` are markup, `link` stands for itself."""

    kind: Literal["text", "open", "close", "link"]
    text: str


def write(styled: Styled) -> str:
    """Write styled text: code blocks fenced, quotes marked line by line, styles closed in each."""
    blocks = [span for span in styled.spans if span.style is Style.BLOCK]
    written: list[str] = []
    start = 0
    for block in blocks:
        written.append(_prose(styled, start, block.start))
        code = _unfenced(styled.text[block.start : block.end].translate(_ESCAPES))
        written.append(f"{FENCE}\n{code}\n{FENCE}")
        start = block.end
        if start < len(styled.text) and styled.text[start] != "\n":
            written.append("\n")
    written.append(_prose(styled, start, len(styled.text)))
    return "".join(written)


def _unfenced(code: str) -> str:
    """Keep code from closing its own block."""
    return _BREAKS.sub(f"`{INVISIBLE}", code)


def _prose(styled: Styled, start: int, end: int) -> str:
    lines = []
    for line in styled.text[start:end].split("\n"):
        stop = start + len(line)
        quoted = any(
            span.style is Style.QUOTE and _covers(span, line, start, stop) for span in styled.spans
        )
        lines.append(_quoted(_line(styled, start, stop), quoted=quoted))
        start = stop + 1
    return "\n".join(lines)


def _covers(quote: Span, line: str, start: int, end: int) -> bool:
    first = start + len(line) - len(line.lstrip())
    if not line.strip():
        return quote.start < start and end < quote.end
    return quote.start <= first < quote.end


def _quoted(line: str, *, quoted: bool) -> str:
    if quoted:
        return f"> {line}" if line else ">"
    # At the beginning of a line even the escaped character makes a quote.
    return f"{INVISIBLE}{line}" if line.startswith("&gt;") else line


def _line(styled: Styled, start: int, end: int) -> str:
    return _neutral(_joined(tuple(_tokens(styled.text, start, end, _within(styled, start, end)))))


def _within(styled: Styled, start: int, end: int) -> Sequence[Span]:
    """Give the spans of a line without blanks at their edges, outer ones first."""
    trimmed: list[Span] = []
    for span in styled.spans:
        if span.style in {Style.BLOCK, Style.QUOTE}:
            continue
        left, right = max(span.start, start), min(span.end, end)
        while left < right and styled.text[left].isspace():
            left += 1
        while left < right and styled.text[right - 1].isspace():
            right -= 1
        if left < right:
            trimmed.append(replace(span, start=left, end=right))
    trimmed.sort(key=lambda one: (one.start, -one.end, one.style is Style.LINK))
    return _shown(styled.text, trimmed)


def _shown(text: str, spans: Sequence[Span]) -> Sequence[Span]:
    """Leave out styles that Slack does not show: twice, inside code, inside a link's words."""
    kept: list[Span] = []
    around: list[Span] = []
    for span in spans:
        around = [outer for outer in around if span.start < outer.end]
        hidden = any(outer.style in {span.style, Style.CODE, Style.LINK} for outer in around)
        if hidden or (span.style is Style.CODE and "`" in text[span.start : span.end]):
            continue
        around.append(span)
        kept.append(span)
    return kept


def _tokens(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[_Token]:
    """Take a line apart at the edges of its spans, which nest."""
    stack: list[Span] = []
    waiting = deque(spans)
    for at in sorted({end, *(span.start for span in spans), *(span.end for span in spans)}):
        if start < at:
            yield from _literal(text[start:at], stack)
        start = at
        while stack and stack[-1].end <= at:
            yield _closing(stack.pop())
        while waiting and waiting[0].start == at:
            stack.append(waiting.popleft())
            yield _opening(stack[-1])


def _opening(span: Span) -> _Token:
    if span.style is Style.LINK:
        return _Token("link", f"<{span.value.translate(_IN_ADDRESS)}|")
    return _Token("open", _MARKS[span.style])


def _closing(span: Span) -> _Token:
    if span.style is Style.LINK:
        return _Token("link", ">")
    return _Token("close", _MARKS[span.style])


def _literal(text: str, stack: Sequence[Span]) -> Iterator[_Token]:
    """Write text as it is; outside code and links its addresses become links."""
    styles = {span.style for span in stack}
    if Style.CODE in styles:
        yield _Token("text", text.translate(_ESCAPES))
        return
    start = 0
    if Style.LINK not in styles:
        for found in _URL.finditer(text):
            address = _trimmed(found[0])
            yield from _plain(text[start : found.start()])
            yield _Token("link", f"<{address.translate(_IN_ADDRESS)}>")
            start = found.start() + len(address)
    yield from _plain(text[start:])


def _plain(text: str) -> Iterator[_Token]:
    if text:
        yield _Token("text", text.translate(_ESCAPES).translate(_MEANT))


def _trimmed(address: str) -> str:
    """Leave to the sentence what ends it rather than the address."""
    while address[-1] in ".,;:!?'\"*_~" or (address[-1] == ")" and "(" not in address):
        address = address[:-1]
    return address


def _joined(tokens: Sequence[_Token]) -> str:
    """Join pieces; markup that touches a word or other markup gets an edge."""
    line = ""
    before: _Token | None = None
    for token in tokens:
        if before is not None and _touches(before, token):
            line += INVISIBLE
        line += token.text
        before = token
    return line


def _touches(before: _Token, token: _Token) -> bool:
    match before.kind, token.kind:
        case "close", "open":
            return True
        case "close", "text":
            return token.text[0] not in _EDGES
        case "text", "open":
            return before.text[-1] not in _EDGES
        case _:
            return False


def _neutral(line: str) -> str:
    """Put the formatting characters that are meant as themselves back, none able to format."""
    for held, mark in _AS_ITSELF.items():
        if held in line:
            line = _put_back(line, held, mark)
    return line


def _put_back(line: str, held: str, mark: str) -> str:
    places = [at for at, char in enumerate(line) if char in {held, mark}]
    last = max((at for at in places if _closes(line, at)), default=-1)
    markup = line.find(mark), line.rfind(mark)
    written = list(line)
    for at in places:
        opens = _opens(line, at) and at + 1 < last
        cuts_short = markup[0] < at < markup[1] and _closes(line, at)
        fences = held * 3 in line[max(at - 2, 0) : at + 3]
        if line[at] == held:
            doubled = held in {line[at - 1 : at], line[at + 1 : at + 2]}
            # Two of them side by side never format; backticks are not tried.
            formats = (opens or cuts_short) and (not doubled or mark == "`")
            loud = formats or (fences and mark == "`")
            written[at] = f"{INVISIBLE}{mark}{INVISIBLE}" if loud else mark
    return "".join(written)


def _opens(line: str, at: int) -> bool:
    return _is_edge(line[at - 1 : at]) and line[at + 1 : at + 2].strip() != ""


def _closes(line: str, at: int) -> bool:
    return line[at - 1 : at].strip() != "" and _is_edge(line[at + 1 : at + 2])


def _is_edge(char: str) -> bool:
    return not char or char in _EDGES or char in _AS_ITSELF or char in _MARKS.values()
