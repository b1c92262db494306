"""Files that a message carries, and what it carries that can only be named.

https://docs.discord.com/developers/resources/message#attachment-object
"""

from typing import Final
from urllib.parse import urlsplit

from threadline.core.message import FileRef, safe_name
from threadline.platforms.discord.payload import Fields, number, sections, snowflake, text

MAX_DOWNLOAD: Final = 20_000_000
"""Longest file that is fetched, in bytes."""
MAX_UPLOAD: Final = 10 * 1024 * 1024
"""Longest file that is posted, in bytes: every server takes it; those with boosts take more."""

FILE_HOSTS: Final = frozenset({"cdn.discordapp.com", "media.discordapp.net"})
TOO_LARGE: Final = "too_large"
UNSUPPORTED: Final = "unsupported"


def files_of(message: Fields, channel: str) -> tuple[FileRef, ...]:
    """Give the attachments of a message."""
    return tuple(_file(one, message, channel) for one in sections(message, "attachments"))


def stickers_of(message: Fields) -> tuple[FileRef, ...]:
    """Give what stands for stickers, so that their sender hears that they are not taken."""
    return tuple(
        FileRef(id="", name=f"sticker {text(one, 'name')[:80]}".strip(), mime="",
                problem=UNSUPPORTED)
        for one in sections(message, "sticker_items")[:3]
    )  # fmt: skip


def _file(one: Fields, message: Fields, channel: str) -> FileRef:
    """Make a reference: addresses end after a day, and the message tells a fresh one."""
    identity, size, address = snowflake(one, "id"), number(one, "size"), text(one, "url")
    mime = text(one, "content_type").partition(";")[0] or "application/octet-stream"
    usable = identity and _fetchable(address)
    problem = TOO_LARGE if size > MAX_DOWNLOAD else "" if usable else UNSUPPORTED
    return FileRef(
        id=address,
        name=safe_name(text(one, "filename")) or f"discord-{identity or 'file'}",
        mime=mime,
        size=size,
        image=mime.startswith("image/"),
        message=f"{channel}/{snowflake(message, 'id')}/{identity}",
        problem=problem,
    )


def _fetchable(address: str) -> bool:
    """Tell whether this can be the address of a file; where it may lead is checked when asked."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname)
