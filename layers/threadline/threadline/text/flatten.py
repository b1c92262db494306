"""Markdown as plain text with styles: what a reader sees, and how it is set apart."""

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from threadline.text.nodes import is_name, words_of
from threadline.text.styled import Span, Style, Styled
from threadline.text.tables import aligned

DEEPEST: Final = 40
"""The parser leaves out what is nested deeper: such a text is given as it was written."""

_STYLES: Final[Mapping[str, Style]] = MappingProxyType(
    {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}
)
_BOXES: Final[Mapping[str, str]] = MappingProxyType({"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "})
_SET_APART: Final = frozenset({"fence", "code_block", "table"})


def flatten(markdown: str, linkable: Callable[[str], bool]) -> Styled:
    """Turn CommonMark with tables and strikethrough into styled text; HTML stays as written.

    An address for which `linkable` is false is shown behind its text. No word is lost.
    """
    try:
        styled = _flattened(markdown, linkable)
    except RecursionError:
        styled = Styled("")
    return styled if styled.text.strip() else Styled(markdown.strip())


def _flattened(markdown: str, linkable: Callable[[str], bool]) -> Styled:
    env: dict[str, dict[str, dict[str, str]]] = {}
    tokens = _parser().parse(markdown, env)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        return Styled("")
    page = _Page(linkable)
    page.blocks(SyntaxTreeNode(tokens))
    page.unused_references(env.get("references", {}))
    return page.styled()


@functools.cache
def _parser() -> MarkdownIt:
    options = {"maxNesting": DEEPEST, "html": False}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])


class _Page:
    """Text being written, with the styles of what is written."""

    def __init__(self, linkable: Callable[[str], bool]) -> None:
        self._linkable = linkable
        self._written: list[str] = []
        self._length = 0
        self._spans: list[Span] = []
        self._margin = ""
        self._quoted = False
        self._linked = False
        self._skip = 0
        self._addresses: set[str] = set()

    def styled(self) -> Styled:
        """Give what was written; outer styles come first."""
        outer_first = self._spans[::-1]
        spans = sorted(outer_first, key=lambda span: (span.start, -span.end))
        return Styled("".join(self._written), tuple(spans))

    def blocks(self, parent: SyntaxTreeNode, between: str = "\n\n") -> None:
        """Write the blocks inside a node."""
        for number, node in enumerate(parent.children):
            if number and node.type in _SET_APART:
                self._write(between)
            elif number:
                self._break(between)
            self._block(node)

    def unused_references(self, references: Mapping[str, Mapping[str, str]]) -> None:
        """Write the addresses that the text defines but nowhere uses."""
        for label, reference in references.items():
            if reference["href"] not in self._addresses:
                self._break("\n" if self._length else "")
                self._write(f"[{label.lower()}]: {reference['href']}")

    def _block(self, node: SyntaxTreeNode) -> None:
        match node.type:
            case "heading":
                with self._in(Style.BOLD):
                    self._inside(node)
            case "bullet_list" | "ordered_list":
                self._list(node)
            case "blockquote":
                self._quote(node)
            case "fence" | "code_block":
                with self._in(Style.BLOCK, node.info.strip().partition(" ")[0]):
                    self._write(node.content.removesuffix("\n"))
            case "table":
                self._table(node)
            case "hr":
                self._write("———")
            case _:
                self._inside(node)

    def _inside(self, node: SyntaxTreeNode) -> None:
        """Write what stands inside a paragraph, heading, cell or style."""
        for child in node.children:
            match child.type:
                case "inline":
                    self._inside(child)
                case "text":
                    self._write(child.content[self._skip :])
                    self._skip = 0
                case "softbreak" | "hardbreak":
                    self._break("\n")
                case "code_inline" if not self._linked:
                    with self._in(Style.CODE):
                        self._write(child.content)
                case "link":
                    self._link(child, str(child.attrs.get("href", "")))
                case "image":
                    self._link(child, str(child.attrs.get("src", "")))
                case "strong" if is_name(child):
                    self._write(f"__{words_of(child)}__")
                case name if name in _STYLES:
                    with self._in(_STYLES[name]):
                        self._inside(child)
                case _:
                    self._write(child.content)

    def _list(self, node: SyntaxTreeNode) -> None:
        first = int(node.attrs.get("start", 1))
        margin = self._margin
        for number, item in enumerate(node.children):
            if number:
                self._break("\n")
            box = _BOXES.get(words_of(item)[:4], "")
            self._skip = len("[x] ") if box else 0
            self._write(box or (f"{first + number}. " if node.type == "ordered_list" else "• "))
            self._margin = margin + "  "
            self.blocks(item, between="\n")
            self._margin = margin

    def _quote(self, node: SyntaxTreeNode) -> None:
        if not self._quoted:
            self._quoted = True
            with self._in(Style.QUOTE):
                self.blocks(node)
            self._quoted = False
            return
        margin, self._margin = self._margin, self._margin + "› "
        self._write("› ")
        self.blocks(node)
        self._margin = margin

    def _link(self, node: SyntaxTreeNode, address: str) -> None:
        self._addresses.add(address)
        label = words_of(node)
        if not label.strip() or label in {address, address.removeprefix("mailto:")}:
            self._write(label if label.strip() else address)
        elif self._linked or not self._linkable(address):
            self._inside(node)
            self._write(f" ({address})")
        else:
            self._linked = True
            with self._in(Style.LINK, address):
                self._inside(node)
            self._linked = False

    def _table(self, node: SyntaxTreeNode) -> None:
        rows = [row for section in node.children for row in section.children]
        cells = [[words_of(cell) for cell in row.children] for row in rows]
        linked = any(inner.type in {"link", "image"} for inner in node.walk())
        plain = "" if linked else aligned(cells)
        if plain:
            with self._in(Style.BLOCK):
                self._write(plain)
            return
        for number, row in enumerate(rows[1:] or rows):
            if number:
                self._break("\n")
            self._write("• ")
            for place, cell in enumerate(row.children):
                name = cells[0][place] if rows[1:] else ""
                self._write((", " if place else "") + (f"{name}: " if name else ""))
                self._inside(cell)

    def _write(self, text: str) -> None:
        self._written.append(text)
        self._length += len(text)

    def _break(self, lines: str) -> None:
        self._write(lines + self._margin)

    @contextmanager
    def _in(self, style: Style, value: str = "") -> Iterator[None]:
        start = self._length
        yield
        if self._length > start:
            self._spans.append(Span(start, self._length, style, value))
