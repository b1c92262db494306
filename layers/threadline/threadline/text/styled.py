"""Plain text with styles beside it, for platforms that take both apart.

Places are counted in code points; a platform converts them to its own unit.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from threadline.core.split import Unit, cut, fit, length

ELLIPSIS: Final = "…"


class Style(StrEnum):
    """What a stretch of text is; `BLOCK` is a code block, `CODE` a word of code."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"
    CODE = "code"
    BLOCK = "block"
    LINK = "link"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Span:
    """A style over text[start:end]; `value` is a link's address or a code block's language."""

    start: int
    end: int
    style: Style
    value: str = ""


@dataclass(frozen=True, slots=True)
class Styled:
    """Text and its styles, outer ones first."""

    text: str
    spans: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> "Styled":
        """Cut out text[start:end] without blank edges; a style over the cut goes on behind it."""
        while end > start and self.text[end - 1].isspace():
            end -= 1
        while start < end and self.text[start] == "\n":
            start += 1
        moved = (
            Span(max(s.start, start) - start, min(s.end, end) - start, s.style, s.value)
            for s in self.spans
        )
        return Styled(self.text[start:end], tuple(s for s in moved if s.start < s.end))


def parts(styled: Styled, limit: int, unit: Unit) -> tuple[Styled, ...]:
    """Cut into parts within the limit, at paragraphs, lines or words where possible.

    Only blank characters at a cut are dropped; blank text gives no part.
    """
    return tuple(part for part in _cuts(styled, limit, unit) if part.text)


def head(styled: Styled, limit: int, unit: Unit) -> Styled:
    """Shorten to the limit; `…` stands where something was left out."""
    if length(styled.text, unit) <= limit:
        return styled
    room = fit(styled.text, limit - length(ELLIPSIS, unit), unit)
    kept = styled.part(0, room)
    return Styled(kept.text + ELLIPSIS, kept.spans)


def _cuts(styled: Styled, limit: int, unit: Unit) -> Iterator[Styled]:
    start = 0
    while start < len(styled.text):
        window = styled.text[start : start + limit + 1]
        step = cut(window, fit(window, limit, unit))
        yield styled.part(start, start + step)
        start += step
