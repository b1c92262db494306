"""What a message holds, by its type: text, files that can be fetched, and what is only named.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/im-v1/message/events/message_content
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from threadline.core.message import FileRef
from threadline.platforms.feishu import rich
from threadline.platforms.feishu.files import file_of, image_of, named
from threadline.platforms.feishu.payload import Fields, decode, text


@dataclass(slots=True)
class Content:
    """Text with its mention tokens, and files; `only` stands for what cannot be taken."""

    words: str = ""
    files: tuple[FileRef, ...] = ()
    only: FileRef | None = None


def content_of(kind: str, written: str, message: str) -> Content | None:
    """Read the content of a message by its type; None for one that people do not write."""
    if kind in _SAID_BY_FEISHU:
        return None
    said = decode(written) or {}
    read = _READERS.get(kind)
    return read(said, message) if read else Content(only=named(kind[:40] or "unknown", message))


def _text(said: Fields, _message: str) -> Content:
    return Content(text(said, "text"))


def _post(said: Fields, message: str) -> Content:
    words, files = rich.read(said, message)
    return Content(words, files)


def _card(said: Fields, message: str) -> Content:
    """Take the words of a card that somebody forwarded; Feishu does not hand out its files."""
    words, _ = rich.read({"title": text(said, "title"), "content": said.get("elements")}, message)
    return Content(words) if words else Content(only=named("interactive", message))


def _image(said: Fields, message: str) -> Content:
    return Content(files=(image_of(text(said, "image_key"), message),))


def _file(said: Fields, message: str) -> Content:
    return Content(files=(file_of(said, message, "file"),))


def _audio(said: Fields, message: str) -> Content:
    return Content(files=(file_of(said, message, "audio"),))


def _media(said: Fields, message: str) -> Content:
    return Content(files=(file_of(said, message, "media"),))


def _location(said: Fields, message: str) -> Content:
    place = " ".join(
        value for name in ("name", "latitude", "longitude") if (value := text(said, name))
    )
    return Content(place) if place else Content(only=named("location", message))


type Reader = Callable[[Fields, str], Content]

_READERS: Final[Mapping[str, Reader]] = MappingProxyType(
    {
        "text": _text,
        "post": _post,
        "interactive": _card,
        "image": _image,
        "file": _file,
        "audio": _audio,
        "media": _media,
        "location": _location,
    }
)
_SAID_BY_FEISHU: Final = frozenset({"system"})
