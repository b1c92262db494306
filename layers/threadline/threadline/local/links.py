"""Addresses under which the agent on this machine reads a stored file, for a while."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote

from aiohttp import web

from threadline.core.ports import Blobs, Clock, Secrets

ENTRY: Final = "local/links"
PREFIX: Final = "/files"
FOLDER: Final = "files/"
"""Only files of people have addresses, none of the other bodies that are kept."""


def links_key(kept: Secrets) -> bytes:
    """Give the key of this installation's addresses, made once."""
    key = kept.get(ENTRY).get("key", "")
    if not key:
        key = secrets.token_hex(32)
        kept.put(ENTRY, {"key": key})
    return bytes.fromhex(key)


@dataclass(slots=True)
class Links:
    """Makes and honours signed addresses; `base` is the front door's."""

    clock: Clock
    key: bytes = field(default=b"", repr=False)
    base: str = ""

    def make(self, name: str, seconds: int) -> str:
        """Give the address of a file, good for so many seconds; "" where it may have none."""
        if not (self.base and self.key and name.startswith(FOLDER)):
            return ""
        until = str(int(self.clock.now()) + seconds)
        return f"{self.base}{PREFIX}/{until}/{self._sign(until, name)}/{quote(name)}"

    def routes(self, blobs: Blobs) -> list[web.RouteDef]:
        """Give the route of the addresses."""

        async def read(request: web.Request) -> web.Response:
            name = request.match_info["name"]
            if not self._good(request.match_info["until"], request.match_info["sign"], name):
                raise web.HTTPNotFound
            body = blobs.get(name)
            if body is None:
                raise web.HTTPNotFound
            headers = {"content-disposition": "attachment", "x-content-type-options": "nosniff"}
            return web.Response(
                body=body, content_type="application/octet-stream", headers=headers
            )  # fmt: skip

        return [web.get(PREFIX + "/{until:[0-9]+}/{sign:[0-9a-f]+}/{name:.+}", read)]

    def _good(self, until: str, signature: str, name: str) -> bool:
        signed = hmac.compare_digest(signature, self._sign(until, name))
        return signed and int(until) >= self.clock.now()

    def _sign(self, until: str, name: str) -> str:
        return hmac.new(self.key, f"{until}/{name}".encode(), hashlib.sha256).hexdigest()
