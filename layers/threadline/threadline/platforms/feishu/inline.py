"""Words inside a line as a card shows them: emphasis, code and links; everything else as text."""

import re
from typing import Final
from urllib.parse import urlsplit

from markdown_it.tree import SyntaxTreeNode

from threadline.text.nodes import is_name, words_of

_ADDRESS: Final = re.compile(
    r"https?://[^\s<>()\[\]\"'`|，。；：！？、）】》]+[^\s<>()\[\]\"'`|，。；：！？、）】》.,;:!?*_~]"
)
_SPECIAL: Final = re.compile(
    r"[*`\[\]<]"  # emphasis, code, links, tags
    r"|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])"
    r"|~(?=~)|(?<=~)~"
    r"|\\(?=[!-/:-@\[-`{-~])"
    r"|&(?=#?[A-Za-z0-9]+;)"
    r"|:(?=[A-Za-z0-9_]+:)"  # the name of an emoji
)
_AT_LINE_START: Final = re.compile(r"^([ \t]*)([#>+=-]|\d+(?=[.)](?:\s|$)))", re.MULTILINE)
_CALLING: Final = re.compile(r"<at(?=[\s>])", re.IGNORECASE)
_STYLES: Final = {"strong": "**", "em": "*", "s": "~~"}


def escaped(words: str) -> str:
    """Spell out what would be markup; a bare web address becomes a link to itself."""
    written, at = [], 0
    for found in _ADDRESS.finditer(words):
        written += [_entities(words[at : found.start()]), f"[{_entities(found[0])}]({found[0]})"]
        at = found.end()
    return "".join((*written, _entities(words[at:])))


def calling_nobody(code: str) -> str:
    """Break what would call people even inside code; no language has such a tag."""
    return _CALLING.sub("<\u200bat", code)


def line_starts(words: str) -> str:
    """Spell out what would be a heading, quote or list only because a line begins with it."""
    return _AT_LINE_START.sub(_harmless, words)


class Inline:
    """Writes the inside of paragraphs and cells, and notes the addresses that were used."""

    def __init__(self) -> None:
        self.addresses: set[str] = set()
        self._linked = False
        self._in_cell = False

    def text(self, node: SyntaxTreeNode) -> str:
        """Write what stands in a paragraph; its lines stay lines."""
        return line_starts(self._inside(node))

    def line(self, node: SyntaxTreeNode) -> str:
        """Write what stands in a heading as one line."""
        return self._inside(node).replace("\n", " ")

    def cell(self, node: SyntaxTreeNode) -> str:
        """Write what stands in a cell of a table."""
        self._in_cell = True
        words = self.line(node).replace("<br>", " ")
        self._in_cell = False
        return words

    def _inside(self, node: SyntaxTreeNode) -> str:
        return "".join(self._one(child) for child in node.children)

    def _one(self, node: SyntaxTreeNode) -> str:
        match node.type:
            case "inline":
                return self._inside(node)
            case "text":
                words = _entities(node.content) if self._linked else escaped(node.content)
                return words.replace("|", "&#124;") if self._in_cell else words
            case "softbreak":
                return "\n"
            case "hardbreak":
                return "<br>\n"
            case "code_inline":
                return self._code(node.content)
            case "link":
                return self._link(node, str(node.attrs.get("href", "")))
            case "image":
                return self._link(node, str(node.attrs.get("src", "")))
            case "strong" if is_name(node):
                return f"&#95;&#95;{words_of(node)}&#95;&#95;"
            case name if name in _STYLES:
                return f"{_STYLES[name]}{self._inside(node)}{_STYLES[name]}"
            case _:
                return _entities(node.content)

    def _code(self, content: str) -> str:
        ticks = "`" * (1 + max((len(run) for run in re.findall("`+", content)), default=0))
        space = " " if content[:1] == "`" or content[-1:] == "`" else ""
        content = calling_nobody(content)
        content = content.replace("|", "\\|") if self._in_cell else content
        return f"{ticks}{space}{content}{space}{ticks}"

    def _link(self, node: SyntaxTreeNode, address: str) -> str:
        """Write a link, or the address behind its text where a card would not take it."""
        self.addresses.add(address)
        label = words_of(node)
        if self._linked:
            return f"{_entities(label)} ({_entities(address)})" if label.strip() else ""
        self._linked = True
        inside = self._inside(node) if label.strip() else _entities(address)
        self._linked = False
        if linkable(address):
            return f"[{inside}]({address.replace('(', '%28').replace(')', '%29')})"
        same = not label.strip() or label in {address, address.removeprefix("mailto:")}
        return inside if same else f"{inside} ({_entities(address)})"


def linkable(address: str) -> bool:
    """Tell whether a card takes the address in a link: one of the web, with a host."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(host) and not re.search(r"[\s<>|]", address)


def _entities(words: str) -> str:
    return _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", words)


def _harmless(found: re.Match[str]) -> str:
    """Keep the line's beginning visible and without effect."""
    mark = found[2]
    return f"{found[1]}{mark}\u200b" if mark.isdecimal() else f"{found[1]}&#{ord(mark)};"
