"""Bodies on their way in: read many at once, within a number of bytes for all together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

from threadline.local.http_event import HttpAnswer, gateway_answer

BODY_LIMIT: Final = 6_000_000
"""What Lambda takes in one invocation; each platform's own limit is lower."""

HELD_LIMIT: Final = 64_000_000
BODY_WITHIN: Final = 20.0


class Uploads:
    """Holds at most `in_all` bytes of bodies, read or half read, of at most `each` bytes.

    A sender that is slow costs what it has sent so far, and no other sender any time.
    """

    def __init__(self, *, each: int = BODY_LIMIT, in_all: int = HELD_LIMIT) -> None:
        self._each = each
        self._in_all = in_all
        self._held = 0

    @asynccontextmanager
    async def body(self, request: web.Request) -> AsyncIterator[bytes | HttpAnswer]:
        """Give a body as sent, or the refusal: 413 too long, 408 too slow, 503 no room now."""
        body = bytearray()
        try:
            yield await self._refusal(request, body) or bytes(body)
        finally:
            self._held -= len(body)

    async def _refusal(self, request: web.Request, body: bytearray) -> HttpAnswer | None:
        try:
            async with asyncio.timeout(BODY_WITHIN):
                return await self._read(request, body)
        except TimeoutError:
            return gateway_answer(408, "Request Timeout")

    async def _read(self, request: web.Request, body: bytearray) -> HttpAnswer | None:
        announced = request.content_length or 0
        if announced > self._each:
            return gateway_answer(413, "Request Entity Too Large")
        async for chunk in request.content.iter_any():
            if len(body) + len(chunk) > self._each:
                return gateway_answer(413, "Request Entity Too Large")
            if self._held + len(chunk) > self._in_all:
                return gateway_answer(503, "Service Unavailable")
            body += chunk
            self._held += len(chunk)
        return None


async def read_body(request: web.Request, limit: int) -> bytes | None:
    """Read the body as sent, or None where it is longer than the limit."""
    if (request.content_length or 0) > limit:
        return None
    body = bytearray()
    async for chunk in request.content.iter_any():
        body += chunk
        if len(body) > limit:
            return None
    return bytes(body)
