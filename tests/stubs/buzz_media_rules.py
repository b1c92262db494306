"""What Buzz checks of an authorisation, of a file, and of the tag that describes one.

https://github.com/block/buzz/blob/main/crates/buzz-media/src/auth.rs
https://github.com/block/buzz/blob/main/crates/buzz-media/src/validation.rs
https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/imeta.rs
"""

import json
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from typing import Any

from tests.stubs.serving import Answer
from threadline.platforms.buzz.verify import verified

LARGEST = 50 * 1024 * 1024
MISSING = "missing authorization header"
_OF_IDENTITY = (MISSING, "relay membership required")
_MEDIA = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "video/mp4": "mp4"}
_KEYS = {"url", "m", "x", "size", "dim", "blurhash", "alt", "thumb", "fallback", "filename"}
_SIGNATURES = (
    (b"\x89PNG", "image/png", "png"),
    (b"\xff\xd8\xff", "image/jpeg", "jpg"),
    (b"GIF8", "image/gif", "gif"),
    (b"%PDF", "application/pdf", "pdf"),
    (b"PK\x03\x04", "application/zip", "zip"),
)
_BLOCKED = (
    (b"MZ", "application/vnd.microsoft.portable-executable"),
    (b"ID3", "audio/mpeg"),
)


class Refused(Exception):
    """Says why in Buzz's words; 401 is one and the same for whatever is wrong with a proof."""

    def __init__(self, why: str, status: int = 401) -> None:
        super().__init__(why)
        self.why = why
        self.status = status

    def answer(self, *, strict: bool) -> Answer:
        """Give the answer: JSON, or a line of plain text where identities are enforced."""
        plain = {"content-type": "text/plain; charset=utf-8"}
        if strict and self.why == MISSING:
            return Answer(401, b"authentication required\n", {**plain, "www-authenticate": "Nostr"})
        if strict and self.status in {401, 403}:
            denied = (
                b"authorization denied\n" if self.why in _OF_IDENTITY else b"evidence rejected\n"
            )
            return Answer(403, denied, plain)
        why = "authentication failed" if self.status == 401 else self.why
        return Answer(self.status, {"error": why})


def allowed(
    verb: str, headers: Mapping[str, str], host: str, now: float, *, strict: bool
) -> dict[str, Any]:
    """Read the event that allows a request. Raises Refused."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    if not scheme:
        raise Refused(MISSING)
    if scheme != "Nostr" or "=" in token:
        raise Refused("invalid authorization scheme")
    try:
        event = json.loads(urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError:
        raise Refused("invalid base64 encoding") from None
    if verified(event) is None:
        raise Refused("invalid signature")
    if event["kind"] != 24242 or not event["content"].strip():
        raise Refused("invalid auth event")
    tags = {name: [t[1] for t in event["tags"] if t[0] == name] for name in ("t", "x")}
    ends = [int(tag[1]) for tag in event["tags"] if tag[0] == "expiration"]
    servers = [tag[1] for tag in event["tags"] if tag[0] == "server"]
    made, longest = event["created_at"], 60 if strict else 3_600
    fits = (
        tags["t"] == [verb]
        and len(ends) == 1
        and ends[0] > int(now)
        and made - 5 <= now <= made + longest
        and (not strict or ends[0] <= made + 60)
        and servers in ([[host]] if strict else [[host], []])
        and len(tags["x"]) <= 1
    )
    if not fits:
        raise Refused("evidence rejected")
    return dict(event)


def sniffed(body: bytes) -> tuple[str, str]:
    """Give the type and ending of a file by its first bytes. Raises Refused for some types."""
    for start, mime in _BLOCKED:
        if body.startswith(start):
            raise Refused(f"disallowed content type: {mime}", 415)
    for start, mime, ending in _SIGNATURES:
        if body.startswith(start):
            return mime, ending
    return "application/octet-stream", "bin"


def imeta_fault(tag: list[str], media: str, held: Mapping[str, tuple[str, str, int]]) -> str:
    """Say what the relay refuses about one tag, in its words; "" for nothing."""
    pairs = [part.split(" ", 1) for part in tag[1:]]
    names = [pair[0] for pair in pairs]
    if strange := next((name for name in names if name not in _KEYS), ""):
        return f"invalid: disallowed imeta key: {strange}"
    if len(set(names)) < len(names):
        return "invalid: duplicate imeta key"
    fields = {pair[0]: pair[-1] for pair in pairs}
    if not {"url", "m", "x", "size"} <= fields.keys():
        return "invalid: imeta tag must include url, m, x, and size"
    at = re.fullmatch(re.escape(media) + r"/([0-9a-f]{64})\.([a-z0-9]{1,8})", fields["url"])
    if at is None:
        return "invalid: imeta url must be a local /media/ path"
    if at[1] != fields["x"]:
        return "invalid: imeta url hash does not match x"
    if _MEDIA.get(fields["m"], at[2]) != at[2]:
        return "invalid: imeta url extension does not match m"
    name = fields.get("filename", "a")
    if not 0 < len(name.encode()) <= 255 or set("/\\\n\t") & set(name):
        return "invalid: imeta filename must not contain path separators or control characters"
    if fields["x"] not in held:
        return f"invalid: imeta references nonexistent blob: {fields['x']}"
    if held[fields["x"]] != (fields["m"], at[2], int(fields["size"])):
        return "invalid: imeta does not match what is stored"
    return ""
