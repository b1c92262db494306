"""Markdown as Discord shows it: most of it as the agent writes it, tables as aligned text.

https://docs.discord.com/developers/reference#message-formatting
"""

import functools
import html
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split
from threadline.platforms.discord.buttons import OPTIONS, offered
from threadline.platforms.discord.payload import whole
from threadline.text.tables import aligned

MAX_TEXT: Final = 2000


def render(reply: Reply) -> tuple[Draft, ...]:
    """Cut a reply into messages; the last one of a question offers its answers as buttons."""
    markdown = whole(reply.markdown.replace("\r\n", "\n"))
    if reply.tone is Tone.PROGRESS:
        markdown = markdown[: MAX_TEXT * 2]
    # Discord cuts off white space at both ends, so that such a part would be empty.
    pieces = split(without_tables(markdown), MAX_TEXT, "utf16")
    drafts = [Draft(piece.text) for piece in pieces if piece.body.strip()]
    if reply.tone is Tone.PROGRESS:
        return tuple(drafts[:1])
    options = offered(reply.options)
    if drafts and options:
        drafts[-1] = Draft(drafts[-1].text, {OPTIONS: options})
    return tuple(drafts)


def without_tables(markdown: str) -> str:
    """Lay tables out in a fixed width, since Discord knows none; too wide ones stay as written."""
    if "|" not in markdown:
        return markdown
    lines = markdown.split("\n")
    try:
        tokens = _parser().parse(markdown)
    except RecursionError:
        return markdown
    for start, end, rows in reversed(_tables(tokens)):
        laid_out = aligned(rows)
        if laid_out:
            lines[start:end] = ["```", *laid_out.split("\n"), "```"]
    return "\n".join(lines)


@functools.cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": 20, "html": False}).enable("table")


def _tables(tokens: list[Token]) -> list[tuple[int, int, list[list[str]]]]:
    """Give the tables that stand at the left margin: first line, line after the last, cells."""
    found: list[tuple[int, int, list[list[str]]]] = []
    rows: list[list[str]] = []
    inside = False
    for token in tokens:
        if token.type == "table_open" and token.level == 0 and token.map:
            inside, rows = True, []
            found.append((token.map[0], token.map[1], rows))
        elif token.type == "table_close":
            inside = False
        elif inside and token.type == "tr_open":
            rows.append([])
        elif inside and token.type == "inline":
            rows[-1].append(html.unescape(token.content).replace("```", "'''"))
    return [table for table in found if table[2]]
