"""Markdown into comments: GitHub reads Markdown as the agent writes it, up to 65,536 characters."""

from typing import Final

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split
from threadline.platforms.github import marker

MAX_COMMENT: Final = 65_536


def render(reply: Reply) -> tuple[Draft, ...]:
    """Cut a reply into comments, each with room for our hidden line and for silenced mentions."""
    markdown = reply.markdown.encode("utf-8", "replace").decode()  # no half of a character
    room = MAX_COMMENT - marker.LENGTH - min(markdown.count("@"), MAX_COMMENT // 2)
    pieces = split(markdown, room, "chars")
    drafts = tuple(Draft(piece.text) for piece in pieces if piece.body.strip())
    return drafts[:1] if reply.tone is Tone.PROGRESS else drafts
