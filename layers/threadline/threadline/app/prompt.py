"""What the agent reads: the waiting messages of a turn as one prompt, files included."""

from collections.abc import Sequence
from html import escape
from typing import Final

from threadline.app.orders import order_of
from threadline.app.world import World
from threadline.core.agent import InlineImage, Prompt, StoredFile
from threadline.core.records import Waiting
from threadline.core.texts import say

TAG: Final = "followups-while-busy"


def build(
    world: World,
    batch: Sequence[Waiting],
    files: Sequence[StoredFile],
    *,
    names: bool,
    language: str,
    image_limit: int,
) -> Prompt:
    """Join the messages of a turn; images within the limit go in, other files are named.

    `names`: where others read along, each message says who wrote it.
    """
    texts = [_text(world, one, language, names=names) for one in batch]
    text = texts[0] if len(texts) == 1 else collected(texts)
    images, rest, notes = _files(world, files, image_limit, language)
    return Prompt("\n\n".join(part for part in (text, *notes) if part), images, rest)


def collected(texts: Sequence[str]) -> str:
    """Join messages that arrived while a run was going on; no text can close the block."""
    lines = [
        f"<{TAG}>",
        "These messages came in while the previous run was going on; they are one turn:",
        "",
    ]
    for number, text in enumerate(texts, 1):
        lines.append(f"{number}. " + escape(text, quote=False).replace("\n", "\n   "))
    lines.append(f"</{TAG}>")
    return "\n".join(lines)


def _text(world: World, waiting: Waiting, language: str, *, names: bool) -> str:
    message, order = waiting.message, order_of(world, waiting.message)
    text = waiting.prompt or message.prompt or message.text if order is None else order.argument
    if message.private or not (names and message.sender.name and text):
        return text
    return say("speaker", language, name=message.sender.name[:80], text=text)


def _files(
    world: World, files: Sequence[StoredFile], image_limit: int, language: str
) -> tuple[tuple[InlineImage, ...], tuple[StoredFile, ...], tuple[str, ...]]:
    images: list[InlineImage] = []
    rest: list[StoredFile] = []
    notes: list[str] = []
    room = image_limit
    for file in files:
        if file.problem:
            notes.append(say("file_failed", language, name=file.name, reason=file.problem))
            continue
        body = world.blobs.get(file.blob.name) if file.image and file.blob.size <= room else None
        if body is None:
            rest.append(file)
        else:
            room -= len(body)
            images.append(InlineImage(file.mime, body))
    return tuple(images), tuple(rest), tuple(notes)
