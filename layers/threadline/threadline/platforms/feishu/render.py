"""An answer as cards: written anew in Feishu's Markdown, and packed so that none is refused."""

from collections.abc import Iterator
from typing import Final

from threadline.core.posting import Draft, Reply, Tone
from threadline.core.split import Unit, length
from threadline.platforms.feishu import card
from threadline.platforms.feishu.cutting import pieces
from threadline.platforms.feishu.markdown import Block, blocks

MAX_TEXT: Final = 20_000
UNIT: Final[Unit] = "utf8"
PROGRESS: Final = "progress"
"""The fact of a draft that will be replaced by a later text."""

_BETWEEN: Final = "\n\n"
_MORE: Final = f"{_BETWEEN}…"


def render(reply: Reply) -> tuple[Draft, ...]:
    """Give the cards of a reply, each within Feishu's limits; of progress only the first."""
    packed = list(_packed(blocks(_sent(reply.markdown))))
    if reply.tone is not Tone.PROGRESS:
        return tuple(Draft(words) for words in packed)
    more = _MORE if len(packed) > 1 else ""
    return tuple(Draft(words + more, {PROGRESS: "yes"}) for words in packed[:1])


def _packed(written: list[Block]) -> Iterator[str]:
    """Put as many blocks into a card as fit together; a longer one is cut by its own kind."""
    words, weight, tables = "", 0, 0
    for piece in (one for block in written for one in pieces(block, MAX_TEXT - len(_MORE) * 3)):
        more = card.weight(_BETWEEN + piece.text)
        size = length(words, UNIT) + length(piece.text, UNIT) + len(_BETWEEN)
        full = size > MAX_TEXT - len(_MORE) * 3
        if words and (full or not card.fits(weight + more, tables + piece.tables)):
            yield words
            words, weight, tables = "", 0, 0
        words = f"{words}{_BETWEEN}{piece.text}" if words else piece.text
        weight, tables = weight + more, tables + piece.tables
    if words:
        yield words


def _sent(markdown: str) -> str:
    """Replace what Feishu would refuse: halves of characters and control characters."""
    whole = markdown.replace("\r\n", "\n").encode("utf-8", "replace").decode()
    return "".join(char if char >= " " or char in "\n\t" else "\ufffd" for char in whole)
