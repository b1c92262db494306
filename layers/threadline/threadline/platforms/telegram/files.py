"""What a message carries besides text: files we can fetch, and what we can only name.

https://core.telegram.org/bots/api#message
"""

from collections.abc import Iterator
from typing import Final

from threadline.core.message import FileRef, safe_name
from threadline.platforms.telegram.payload import Fields, number, section, sections, text

MAX_DOWNLOAD: Final = 20_000_000
"""Longest file a bot may fetch, in bytes."""

TOO_LARGE: Final = "too_large"
UNSUPPORTED: Final = "unsupported"

_MIME: Final = {
    "document": "application/octet-stream",
    "animation": "video/mp4",
    "audio": "audio/mpeg",
    "voice": "audio/ogg",
    "video": "video/mp4",
    "video_note": "video/mp4",
}
_FETCHABLE: Final = frozenset({"photo", *_MIME})
_ENDINGS: Final = {
    "application/octet-stream": ".bin",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "video/mp4": ".mp4",
}
_ONLY_NAMED: Final = (
    "sticker", "location", "venue", "contact", "poll", "dice", "game", "story", "checklist",
    "paid_media", "invoice", "giveaway",
)  # fmt: skip


def files_of(message: Fields) -> tuple[FileRef, ...]:
    """Give the files of a message: the largest photo size, then documents, sound and film."""
    return tuple(_found(message)) if _FETCHABLE & message.keys() else ()


def named_only(message: Fields) -> FileRef | None:
    """Give what stands for content that is not taken, so that its sender hears so."""
    for kind in _ONLY_NAMED:
        if section(message, kind) is not None:
            return FileRef(id="", name=kind, mime="", message=_id(message), problem=UNSUPPORTED)
    return None


def _found(message: Fields) -> Iterator[FileRef]:
    photo = _largest(sections(message, "photo"))
    if photo is not None:
        yield _file(photo, message, f"telegram-photo-{_id(message)}.jpg", "image/jpeg")
    for kind, usual in _MIME.items():
        part = section(message, kind)
        # An animation comes a second time as document, for old clients.
        if part is None or (kind == "document" and section(message, "animation") is not None):
            continue
        mime = text(part, "mime_type") or usual
        ending = _ENDINGS.get(mime, _ENDINGS[usual])
        name = safe_name(text(part, "file_name")) or f"telegram-{kind}-{_id(message)}{ending}"
        yield _file(part, message, name, mime)


def _file(part: Fields, message: Fields, name: str, mime: str) -> FileRef:
    size = number(part, "file_size")
    size = -1 if size is None or size < 0 else size
    identity = text(part, "file_id")
    problem = TOO_LARGE if size > MAX_DOWNLOAD else "" if identity else UNSUPPORTED
    return FileRef(
        id=identity,
        name=name,
        mime=mime,
        size=size,
        image=mime.startswith("image/"),
        message=_id(message),
        problem=problem,
    )


def _largest(sizes: list[Fields]) -> Fields | None:
    return max(sizes, key=_extent, default=None)


def _extent(size: Fields) -> tuple[int, int]:
    area = (number(size, "width") or 0) * (number(size, "height") or 0)
    return area, number(size, "file_size") or 0


def _id(message: Fields) -> str:
    return str(number(message, "message_id"))
