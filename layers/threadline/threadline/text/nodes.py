"""What a reader sees of a piece of parsed Markdown."""

from markdown_it.tree import SyntaxTreeNode


def words_of(node: SyntaxTreeNode) -> str:
    """Give the text a reader sees of what stands inside."""
    return "".join(
        " " if inner.type in {"softbreak", "hardbreak"} else inner.content
        for inner in node.walk()
        if not inner.children
    )


def is_name(node: SyntaxTreeNode) -> bool:
    """Tell whether this is a name like __init__, which people write without meaning bold."""
    return node.markup == "__" and words_of(node).isidentifier()
