"""Markdown into messages: the clients read Markdown; many relays take 64 KB a frame."""

from typing import Final

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import split

MAX_BYTES: Final = 60_000
"""Bytes of text as they stand in a frame, which is JSON: the rest of 64 KB is for the event."""

CHUNK: Final = "chunk"
GROWING: Final = "growing"
"""Facts of a draft: its number behind the first one, and that another text will follow."""


def render(reply: Reply) -> tuple[Draft, ...]:
    """Cut a reply into chunks of at most 60,000 bytes of JSON; of progress only the head."""
    markdown = reply.markdown.encode("utf-8", "replace").decode()  # no half of a character
    pieces = [piece.text for piece in split(markdown, MAX_BYTES, "json") if piece.body.strip()]
    if reply.tone is Tone.PROGRESS:
        return tuple(Draft(text, {GROWING: "1"}) for text in pieces[:1])
    return tuple(
        Draft(text, {CHUNK: str(number)} if number else {}) for number, text in enumerate(pieces)
    )
