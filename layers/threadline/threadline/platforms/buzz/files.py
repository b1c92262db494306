"""Files that a message carries: its `imeta` tags, as far as the files lie on the relay itself.

https://github.com/nostr-protocol/nips/blob/master/92.md
https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/imeta.rs
"""

import re
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from threadline.core.message import FileRef, safe_name
from threadline.core.policy import over_http
from threadline.platforms.buzz.event import Event

MAX_DOWNLOAD: Final = 20_000_000
"""Longest file that is fetched, in bytes."""
MAX_UPLOAD: Final = 50 * 1024 * 1024
"""Longest file that is posted, in bytes: what Buzz takes of a picture, and less than of others."""
MOST: Final = 10
"""Files of one message that are fetched; of the others it is said how many they were."""

TOO_LARGE: Final = "too_large"
TOO_MANY: Final = "too_many"
UNSUPPORTED: Final = "unsupported"
ELSEWHERE: Final = "not_on_the_relay"
"""What the agent and the person are told of a file: its address is on another host."""

PLACE: Final = re.compile(r"([0-9a-f]{64})(\.[a-z0-9]{1,8})?")
"""What stands behind `/media/`: the SHA-256 of the file, and its ending."""
MIME: Final = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}", re.ASCII)
_SIZE: Final = re.compile(r"[0-9]{1,15}")
_LINK: Final = re.compile(r"(?<!\\)(!?)\[((?:[^\[\]\\\n]|\\.){0,300})\]\(([^()\s]{1,500})\)")


def files_of(event: Event, relay: str) -> tuple[FileRef, ...]:
    """Give the files that a message names, each once; what cannot be had says why."""
    found: dict[str, FileRef] = {}
    for tag in event.tags:
        if tag[0] == "imeta":
            file = _file(_fields(tag), relay)
            found.setdefault(file.id or f"#{len(found)}", file)
    files = tuple(found.values())
    rest = len(files) - MOST
    if rest <= 0:
        return files
    more = FileRef(id="", name=f"{rest} more", mime="", problem=TOO_MANY)
    return (*files[:MOST], more)


def without_links(text: str, event: Event, files: Sequence[FileRef]) -> str:
    """Drop from a text the pictures of, and lines that only link to, files that can be fetched.

    Buzz's clients write every file into the text, too, under an address that only the bot may read.
    """
    had = {file.id for file in files if not file.problem}
    fields = [_fields(tag) for tag in event.tags if tag[0] == "imeta"]
    addresses = {url for one in fields if (url := one.get("url", "")).rpartition("/")[2] in had}
    if not addresses:
        return text

    def shown(link: re.Match[str]) -> str:
        if link[3] not in addresses:
            return link[0]
        return "" if link[1] else link[2]

    kept = [line for line in text.split("\n") if not _only_links(line, addresses)]
    return _LINK.sub(shown, "\n".join(kept)).rstrip()


def _only_links(line: str, addresses: set[str]) -> bool:
    line = line.strip()
    link = _LINK.fullmatch(line)
    return (link[3] if link else line) in addresses


def _fields(tag: Sequence[str]) -> dict[str, str]:
    """Read `name value` pairs; the first of a name counts."""
    fields: dict[str, str] = {}
    for part in tag[1:]:
        name, _, value = part.partition(" ")
        fields.setdefault(name, value.strip())
    return fields


def _file(fields: dict[str, str], relay: str) -> FileRef:
    place = _place(fields.get("url", ""), relay)
    named = PLACE.fullmatch(place)
    size = int(told) if _SIZE.fullmatch(told := fields.get("size", "")) else -1
    mime = mime if MIME.fullmatch(mime := fields.get("m", "")) else "application/octet-stream"
    problem = ELSEWHERE
    if named is not None:
        same = fields.get("x", named[1]).lower() == named[1]
        problem = "" if same else UNSUPPORTED
    if size > MAX_DOWNLOAD:
        problem = problem or TOO_LARGE
    return FileRef(
        id="" if problem else place,
        name=safe_name(fields.get("filename", "")) or f"buzz-{_short(named)}",
        mime=mime,
        size=size,
        image=mime.startswith("image/"),
        problem=problem,
    )


def _place(url: str, relay: str) -> str:
    """Give what stands behind `/media/` of this relay in an address, "" for any other address."""
    if url.startswith("/media/"):
        return url.removeprefix("/media/")
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or "@" in parts.netloc:
        return ""
    home = over_http(f"{'ws' if parts.scheme == 'http' else 'wss'}://{parts.netloc}")
    _, media, place = parts.path.partition("/media/")
    plain = parts.path == media + place and not (parts.query or parts.fragment)
    return place if plain and home == over_http(relay) else ""


def _short(named: re.Match[str] | None) -> str:
    return named[1][:8] + (named[2] or "") if named else "file"
