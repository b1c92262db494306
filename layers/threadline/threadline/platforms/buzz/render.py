"""Markdown into messages: the clients read Markdown; the relay takes 64 KB an event."""

from typing import Final

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split

MAX_BYTES: Final = 60_000
CHUNK: Final = "chunk"
GROWING: Final = "growing"
"""Facts of a draft: its number behind the first one, and that another text will follow."""


def render(reply: Reply) -> tuple[Draft, ...]:
    """Cut a reply into chunks of at most 60,000 UTF-8 bytes; of progress only the head."""
    markdown = reply.markdown.encode("utf-8", "replace").decode()  # no half of a character
    pieces = [piece.text for piece in split(markdown, MAX_BYTES, "utf8") if piece.body.strip()]
    if reply.tone is Tone.PROGRESS:
        return tuple(Draft(text, {GROWING: "1"}) for text in pieces[:1])
    return tuple(
        Draft(text, {CHUNK: str(number)} if number else {}) for number, text in enumerate(pieces)
    )
