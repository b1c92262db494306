"""Blocks as texts of a card; a block too long for one is cut by its own kind, nothing is lost."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, assert_never

from threadline.core.split import cut, fit, length
from threadline.platforms.feishu import card
from threadline.platforms.feishu.markdown import Block, Code, Prose, Table

_WHOLE: Final = re.compile(r"&#?\w{1,10};|\[[^\]\n]{0,300}\]\([^)\s]{0,600}\)|<br>")
"""What a cut must not go through."""
_LANGUAGE: Final = re.compile(r"[A-Za-z0-9_+#.-]{1,30}")
_LANGUAGES: Final = MappingProxyType(
    {
        "c#": "c_sharp", "c++": "cpp", "console": "shell", "dockerfile": "docker_file",
        "golang": "go", "js": "javascript", "jsx": "javascript", "md": "markdown",
        "objc": "objective_c", "ps1": "powershell", "py": "python", "rb": "ruby", "rs": "rust",
        "sh": "bash", "text": "plain_text", "ts": "typescript", "tsx": "typescript",
        "txt": "plain_text", "yml": "yaml", "zsh": "bash",
    }
)  # fmt: skip
"""Names of languages that cards know under another one."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A text that fits into one card, and how many tables are in it."""

    text: str
    tables: int = 0


def pieces(block: Block, limit: int) -> Iterator[Piece]:
    """Give a block as one text, or as several where it is longer than `limit` UTF-8 bytes."""
    match block:
        case Prose(text):
            yield from (Piece(part) for part in _parts(text, limit))
        case Code(content, language):
            yield from (Piece(part) for part in _code(content, language, limit))
        case Table(rows):
            yield from _table(rows, limit)
        case _:
            assert_never(block)


def _parts(text: str, limit: int) -> Iterator[str]:
    """Cut at paragraphs, lines or words where possible, never inside an entity or a link."""
    while text:
        size = _room(text, limit)
        at = cut(text, size) if size < len(text) else size
        for found in _WHOLE.finditer(text, max(at - 1000, 0), min(at + 1000, len(text))):
            if found.start() < at < found.end() and found.start() > 0:
                at = found.start()
        part, text = text[:at], text[at:]
        if part.strip():
            yield part.strip("\n")


def _code(content: str, language: str, limit: int) -> Iterator[str]:
    """Write code between fences; over a cut it is code on both sides."""
    longest = max((len(run) for run in re.findall("`{3,}", content)), default=2)
    fence = "`" * (longest + 1)
    language = _LANGUAGES.get(language.lower(), language)
    head = f"{fence}{language if _LANGUAGE.fullmatch(language) else ''}\n"
    room = limit - len(head) - len(fence) - 1
    if room < limit // 2:  # a fence of thousands of ticks is no code
        yield from _parts(content.replace("`", "&#96;"), limit)
        return
    if not content:
        yield f"{head}{fence}"
    while content:
        size = _room(content, room)
        at = cut(content, size) if size < len(content) else size
        part, content = content[:at], content[at:]
        yield f"{head}{part.removesuffix('\n')}\n{fence}"


def _table(rows: tuple[tuple[str, ...], ...], limit: int) -> Iterator[Piece]:
    """Write rows under their header, which comes again over a cut; a huge row becomes text."""
    columns = max((len(row) for row in rows), default=0)
    if not columns:
        return
    head = f"{_row(rows[0], columns)}\n{_row(('---',) * columns, columns)}"
    lines: list[str] = []
    for row in rows[1:]:
        line = _row(row, columns)
        if not _fit_together((head, line), limit):
            if lines:
                yield Piece("\n".join((head, *lines)), 1)
                lines = []
            yield from (Piece(part) for part in _parts(" ".join(row), limit))
        elif _fit_together((head, *lines, line), limit):
            lines.append(line)
        else:
            yield Piece("\n".join((head, *lines)), 1)
            lines = [line]
    if lines or len(rows) == 1:
        if _fit_together((head, *lines), limit):
            yield Piece("\n".join((head, *lines)), 1)
        else:
            yield from (Piece(part) for part in _parts(" ".join(rows[0]), limit))


def _row(cells: tuple[str, ...], columns: int) -> str:
    filled = (*cells, *[""] * (columns - len(cells)))
    return f"| {' | '.join(filled)} |"


def _fit_together(lines: tuple[str, ...], limit: int) -> bool:
    text = "\n".join(lines)
    return length(text, "utf8") <= limit and card.fits(card.weight(text), 0)


def _room(text: str, limit: int) -> int:
    """Count the leading characters that fit into a card, at least one."""
    size = fit(text, limit, "utf8")
    while size > 1 and not card.fits(card.weight(text[:size]), 0):
        size = size * 3 // 4
    return max(size, 1)
