"""Markdown written anew as Feishu's cards show it: nothing in it calls, fetches or is refused.

Tags such as `<at id=all>` act in a card and a picture needs a key of Feishu's, so that tags are
spelled out and pictures become links. Code and tables stand at the margin, where cards want them.
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-components/content-components/rich-text
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from threadline.platforms.feishu.inline import Inline, calling_nobody, escaped, line_starts

DEEPEST: Final = 40
"""The parser leaves out what is nested deeper: such a text is shown as it was written."""
INDENT: Final = " " * 4


@dataclass(frozen=True, slots=True)
class Prose:
    """Paragraphs, headings, lists and quotes as they stand in a card."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A code block."""

    content: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table: rows of cells ready to be written, the first one its header."""

    rows: tuple[tuple[str, ...], ...]


type Block = Prose | Code | Table


def blocks(markdown: str) -> list[Block]:
    """Take CommonMark with tables and strikethrough apart; HTML stays as text. No word is lost."""
    try:
        written = _blocks(markdown)
    except RecursionError:
        written = []
    if written or not markdown.strip():
        return written
    return [Prose(line_starts(escaped(markdown.strip())))]


def _blocks(markdown: str) -> list[Block]:
    env: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _parser().parse(markdown, env)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return []
    page = _Page()
    page.block(SyntaxTreeNode(tokens))
    page.unused(env.get("references", {}))
    return page.finished()


@functools.cache
def _parser() -> MarkdownIt:
    options = {"maxNesting": DEEPEST, "html": False}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])


class _Page:
    """Blocks being written; `_quotes` and `_depth` say where the present line stands."""

    def __init__(self) -> None:
        self._inline = Inline()
        self._done: list[Block] = []
        self._lines: list[str] = []
        self._quotes = 0
        self._depth = 0
        self._margin = 0
        self._mark = ""
        self._apart = False
        self._last_quotes = 0

    def finished(self) -> list[Block]:
        """Give what was written."""
        self._lift()
        return self._done

    def unused(self, references: Mapping[str, Mapping[str, str]]) -> None:
        """Write the addresses that the text defines but nowhere uses."""
        for label, reference in references.items():
            if reference["href"] not in self._inline.addresses:
                self._paragraph(escaped(f"[{label.lower()}]: {reference['href']}"))

    def block(self, node: SyntaxTreeNode) -> None:
        """Write a block and what stands inside it."""
        match node.type:
            case "heading":
                self._paragraph(f"{'#' * int(node.tag[1:])} {self._inline.line(node)}")
            case "bullet_list" | "ordered_list":
                self._list(node)
            case "blockquote":
                self._quotes += 1
                self._inside(node)
                self._quotes -= 1
            case "fence" | "code_block":
                self._lift()
                language = node.info.strip().partition(" ")[0]
                content = calling_nobody(node.content.removesuffix("\n"))
                self._done.append(Code(content, language))
            case "table":
                self._lift()
                self._done.append(Table(_rows(node, self._inline)))
            case "hr":
                self._paragraph("---")
            case "inline" | "paragraph":
                self._paragraph(self._inline.text(node))
            case _:
                self._inside(node)

    def _inside(self, node: SyntaxTreeNode) -> None:
        for child in node.children:
            self.block(child)

    def _list(self, node: SyntaxTreeNode) -> None:
        first = int(node.attrs.get("start", 1))
        self._apart = self._apart or not self._depth
        for number, item in enumerate(node.children, first):
            self._depth += 1
            self._margin = min(self._margin, self._depth - 1)
            self._mark = f"{number}. " if node.type == "ordered_list" else "- "
            self._inside(item)
            if self._mark:
                self._paragraph("")  # an item with nothing in it, or with code alone
            self._depth -= 1

    def _paragraph(self, words: str) -> None:
        """Write lines where we stand: behind the mark of an item, else below the last ones."""
        level = max(self._depth - self._margin, 0)
        mark = self._mark if level else ""
        if self._lines and (self._apart or not mark or self._quotes != self._last_quotes):
            self._lines.append(("> " * min(self._quotes, self._last_quotes)).rstrip())
        if mark:
            words = _boxed(words)
        quoted, rest = "> " * self._quotes, INDENT * level
        first = INDENT * (level - 1) + mark if mark else rest
        self._lines += [
            f"{quoted}{rest if number else first}{line}".rstrip()
            for number, line in enumerate(words.split("\n"))
        ]
        self._mark, self._apart, self._last_quotes = "", False, self._quotes

    def _lift(self) -> None:
        """End the prose: what follows stands at the margin, and lists begin anew behind it."""
        if self._mark:
            self._paragraph("")
        text = "\n".join(self._lines).strip("\n")
        if text.strip():
            self._done.append(Prose(text))
        self._lines = []
        self._margin = self._depth


def _boxed(words: str) -> str:
    """Show the box of a task as one."""
    for written, box in (("&#91; &#93; ", "☐ "), ("&#91;x&#93; ", "☑ "), ("&#91;X&#93; ", "☑ ")):
        if words.startswith(written):
            return box + words.removeprefix(written)
    return words


def _rows(node: SyntaxTreeNode, inline: Inline) -> tuple[tuple[str, ...], ...]:
    rows = [row for section in node.children for row in section.children]
    return tuple(tuple(inline.cell(cell) for cell in row.children) for row in rows)
