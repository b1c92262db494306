"""Cut long Markdown into parts within a platform's limit, in the platform's own unit."""

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Final, Literal

type Unit = Literal["utf16", "utf8", "json", "chars"]

_FENCE: Final = re.compile(r"^( {0,3})(`{3,}|~{3,})([^\n]*)$")
_LONGEST_INFO: Final = 40
MOST_UNITS: Final = 6
"""What one code point takes at most: a control character in JSON."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One part: `head` reopens a fence, `tail` closes it; the bodies joined are the whole text."""

    body: str
    head: str = ""
    tail: str = ""

    @property
    def text(self) -> str:
        """The part as it is posted."""
        return self.head + self.body + self.tail


@dataclass(frozen=True, slots=True)
class _Fence:
    marker: str
    info: str
    indent: str

    @property
    def head(self) -> str:
        info = self.info if len(self.info) <= _LONGEST_INFO else ""
        return f"{self.marker}{info}\n"


def length(text: str, unit: Unit) -> int:
    """Measure text as the platform does: UTF-16 code units, UTF-8 bytes or code points.

    "json": bytes inside a JSON text, where a line break, a quotation mark or a backslash are two.
    """
    match unit:
        case "utf16":
            if text.isascii():
                return len(text)
            return len(text.encode("utf-16-le", "surrogatepass")) // 2
        case "utf8":
            return len(text.encode("utf-8", "surrogatepass"))
        case "json":
            return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass")) - 2
        case "chars":
            return len(text)


def fit(text: str, limit: int, unit: Unit) -> int:
    """Count the leading code points of `text` that fit into `limit` units."""
    if unit == "chars" or (len(text) * MOST_UNITS <= limit):
        return min(len(text), limit)
    window = text[: max(limit, 0)]
    if length(window, unit) <= limit:
        return len(window)
    return bisect_right(range(len(window)), limit, key=lambda size: length(window[:size], unit)) - 1


def head_of(text: str, limit: int) -> str:
    """Shorten text to `limit` code points, ending in an ellipsis where something was left out."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def cut(text: str, room: int) -> int:
    """Find where to cut at most `room` code points: after a paragraph, a line or a word."""
    if room >= len(text):
        return len(text)
    window = text[:room]
    for separator in ("\n\n", "\n", " "):
        found = window.rfind(separator)
        if found + len(separator) > room // 2:
            return found + len(separator)
    return room


def split(text: str, limit: int, unit: Unit) -> tuple[Piece, ...]:
    """Cut at paragraphs, lines or words where possible; fences are closed and opened again.

    Nothing is lost: the bodies joined give the text. Every part's text is within the limit, which
    must leave room for a fence and one character (32 units). An empty text gives no part.
    """
    if limit < 32:
        raise ValueError("limit must be at least 32")
    pieces: list[Piece] = []
    fence: _Fence | None = None
    while text:
        head = _head(fence, limit, unit)
        if len(text) <= limit and length(head, unit) + length(text, unit) <= limit:
            after = _fence_after(text, fence)
            tail = _tail(after, text)
            if length(head, unit) + length(text, unit) + length(tail, unit) <= limit:
                pieces.append(Piece(text, head, tail))
                break
        body, fence = _next_body(text, head, fence, limit, unit)
        pieces.append(Piece(body, head, _tail(fence, body)))
        text = text[len(body) :]
    return tuple(pieces)


def _head(fence: _Fence | None, limit: int, unit: Unit) -> str:
    if fence is None:
        return ""
    head = fence.head
    return head if length(head, unit) * 4 <= limit else f"{fence.marker}\n"


def _tail(fence: _Fence | None, body: str) -> str:
    if fence is None:
        return ""
    closing = fence.indent + fence.marker  # in a list item, a line further left would leave it
    return closing if body.endswith("\n") else f"\n{closing}"


def _next_body(
    text: str, head: str, fence: _Fence | None, limit: int, unit: Unit
) -> tuple[str, _Fence | None]:
    room = limit - length(head, unit)
    body = text[: cut(text, max(fit(text, room, unit), 1))]
    after = _fence_after(body, fence)
    for _ in range(8):
        spare = room - length(body, unit) - length(_tail(after, body), unit)
        if spare >= 0 or len(body) == 1:
            break
        shorter = fit(body, max(length(body, unit) + spare, 1), unit)
        body = text[: cut(text, max(shorter, 1))]
        after = _fence_after(body, fence)
    return _before_bare_fence(body, fence, after)


def _before_bare_fence(
    body: str, before: _Fence | None, after: _Fence | None
) -> tuple[str, _Fence | None]:
    """Leave an opening fence line that would stand alone at the end to the next part."""
    if before is None and after is not None:
        lines = body.rstrip("\n").rsplit("\n", 1)
        if len(lines) == 2 and _FENCE.match(lines[1]):
            kept = body[: len(lines[0]) + 1]
            if _fence_after(kept, before) is None:
                return kept, None
    return body, after


def _fence_after(body: str, fence: _Fence | None) -> _Fence | None:
    for line in body.split("\n"):
        match = _FENCE.match(line)
        if match is None:
            continue
        indent, marker, info = match[1], match[2], match[3].strip()
        if fence is None:
            if not (marker[0] == "`" and "`" in info):
                fence = _Fence(marker, info, indent)
        elif marker.startswith(fence.marker) and not info:
            fence = None
    return fence
