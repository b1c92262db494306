"""Files of a message as they are asked for later, and names for what cannot be had.

A file is fetched by its own message and key: another message's id does not open it.
https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message-resource/get
"""

from types import MappingProxyType
from typing import Final

from threadline.core.message import FileRef, safe_name
from threadline.platforms.feishu.payload import Fields, text

MAX_DOWNLOAD: Final = 20_000_000
"""Longest file that is fetched, in bytes; Feishu itself stops at 100 MB."""
MAX_UPLOAD: Final = 30 * 1024 * 1024
"""Longest file that is posted, in bytes."""
UNSUPPORTED: Final = "unsupported"
IMAGE: Final = "image"
FILE: Final = "file"
"""The two kinds of resource, written before the key in a file's id."""

_MIME: Final = MappingProxyType(
    {
        "csv": "text/csv",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "gif": "image/gif",
        "html": "text/html",
        "jpeg": "image/jpeg",
        "jpg": "image/jpeg",
        "json": "application/json",
        "md": "text/markdown",
        "mov": "video/quicktime",
        "mp3": "audio/mpeg",
        "mp4": "video/mp4",
        "opus": "audio/ogg",
        "pdf": "application/pdf",
        "png": "image/png",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "txt": "text/plain",
        "webp": "image/webp",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "zip": "application/zip",
    }
)
_ENDINGS: Final = MappingProxyType({"audio": ".opus", "media": ".mp4", "file": ".bin"})


def image_of(key: str, message: str) -> FileRef:
    """Give a picture; Feishu tells neither its name nor its size."""
    name = f"feishu-image-{key[-12:]}.jpg" if key else "feishu-image.jpg"
    return FileRef(
        id=f"{IMAGE}:{key}",
        name=safe_name(name) or "feishu-image.jpg",
        mime="image/jpeg",
        image=True,
        message=message,
        problem="" if key else UNSUPPORTED,
    )


def file_of(said: Fields, message: str, kind: str) -> FileRef:
    """Give a document, a sound or a film."""
    key = text(said, "file_key")
    name = (
        safe_name(text(said, "file_name"))
        or f"feishu-{kind}-{safe_name(key[-12:])}{_ENDINGS[kind]}"
    )
    mime = _MIME.get(name.rpartition(".")[2].lower(), "application/octet-stream")
    return FileRef(
        id=f"{FILE}:{key}",
        name=name,
        mime=mime,
        image=mime.startswith("image/"),
        message=message,
        problem="" if key else UNSUPPORTED,
    )


def named(kind: str, message: str) -> FileRef:
    """Give what stands for content that is not taken, so that its sender hears so."""
    return FileRef(id="", name=kind, mime="", message=message, problem=UNSUPPORTED)
