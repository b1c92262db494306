"""Files that a message carries: their ids, from which the address is asked when it is fetched.

https://docs.slack.dev/reference/objects/file-object
"""

from typing import Final

from threadline.core.message import FileRef, safe_name
from threadline.platforms.slack.payload import Fields, identity, number, sections, text

MAX_DOWNLOAD: Final = 50_000_000
"""Longest file that is fetched, in bytes."""
MAX_UPLOAD: Final = 1_000_000_000
"""Longest file that is posted, in bytes."""

TOO_LARGE: Final = "too_large"
UNSUPPORTED: Final = "unsupported"

_NOT_KEPT: Final = frozenset({"tombstone", "hidden_by_limit", "external"})
"""Modes of files that were deleted, are over the plan's limit, or lie somewhere else."""


def files_of(message: Fields) -> tuple[FileRef, ...]:
    """Give the files of a message; one that cannot be had says why."""
    return tuple(_file(one) for one in sections(message, "files") if identity(one, "id"))


def _file(file: Fields) -> FileRef:
    mime = text(file, "mimetype") or "application/octet-stream"
    size = number(file, "size")
    problem = UNSUPPORTED if text(file, "mode") in _NOT_KEPT else ""
    if size > MAX_DOWNLOAD:
        problem = TOO_LARGE
    identifier = identity(file, "id")
    return FileRef(
        id=identifier,
        name=safe_name(text(file, "name") or text(file, "title")) or f"slack-file-{identifier}",
        mime=mime,
        size=size,
        image=mime.startswith("image/"),
        problem=problem,
    )
