"""Markdown as a tree that a page builds elements from: no HTML is ever written or read.

A node is a text, or `[tag, attributes, *children]` with a tag of `TAGS`.
"""

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

DEEPEST: Final = 40
TAGS: Final = frozenset(
    {
        "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol",
        "p", "pre", "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
    }
)  # fmt: skip

type Node = str | list[Node | dict[str, str]]

_LINKED: Final[Mapping[str, str]] = MappingProxyType({"link": "href", "image": "src"})


def tree(markdown: str) -> list[Node]:
    """Give the nodes of CommonMark with tables and strikethrough; HTML stays as written.

    What is nested too deep to be read is given as it was written.
    """
    try:
        tokens = _parser().parse(markdown)
        if any(token.level >= DEEPEST - 1 for token in tokens):
            return [["pre", {}, markdown]]
        return _children(SyntaxTreeNode(tokens))
    except RecursionError:
        return [["pre", {}, markdown]]


def linkable(address: str) -> bool:
    """Tell whether a page may lead there: a web or mail address, never a script."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme == "mailto" or (parts.scheme in {"http", "https"} and bool(parts.hostname))


@functools.cache
def _parser() -> MarkdownIt:
    options = {"maxNesting": DEEPEST, "html": False}
    return MarkdownIt("commonmark", options).enable(["table", "strikethrough"])


def _children(parent: SyntaxTreeNode) -> list[Node]:
    return [node for child in parent.children for node in _nodes(child)]


def _nodes(node: SyntaxTreeNode) -> list[Node]:
    match node.type:
        case "text":
            return [node.content] if node.content else []
        case "softbreak" | "hardbreak":
            return [["br", {}]]
        case "fence" | "code_block":
            language = node.info.strip().partition(" ")[0][:40]
            attributes = {"language": language} if language else {}
            return [["pre", attributes, node.content.removesuffix("\n")]]
        case "code_inline":
            return [["code", {}, node.content]]
        case "link" | "image":
            return _link(node, str(node.attrs.get(_LINKED[node.type], "")))
        case "paragraph" if node.hidden:
            return _children(node)
        case _ if node.tag in TAGS:
            return [[node.tag, _attributes(node), *_children(node)]]
        case _:
            return _children(node) or ([node.content] if node.content else [])


def _link(node: SyntaxTreeNode, address: str) -> list[Node]:
    """Lead to an address; an image is not loaded, and what may not be followed is shown."""
    label = _children(node) or [node.content or address]
    if not linkable(address):
        return [*label, f" ({address})"]
    return [["a", {"href": address}, *label]]


def _attributes(node: SyntaxTreeNode) -> dict[str, str]:
    known = {"start": str(node.attrs["start"])} if "start" in node.attrs else {}
    align = str(node.attrs.get("style", "")).removeprefix("text-align:")
    return known | ({"align": align} if align in {"left", "right", "center"} else {})
