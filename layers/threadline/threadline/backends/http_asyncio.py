"""The asyncio HTTP driver, for following many runs in one loop: whole answers, and streams.

Like the blocking one it takes no redirects, cookies or proxies of the environment. (aiohttp repeats
GET, PUT and DELETE once where a kept connection turns out to be closed.)
"""

import asyncio
import io
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, override

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from threadline.backends.addresses import AddressForbidden, admitted
from threadline.backends.http_exchange import (
    MOST_BYTES,
    Incoming,
    TooLarge,
    headers_for,
    outgoing,
    split_url,
    tls_context,
)
from threadline.backends.http_listening import LONGEST_SILENCE, Listening
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take
from threadline.core.ports import Blobs

KEPT_IDLE: Final = 4.0
"""Seconds, as in the blocking driver."""


class AsyncioHttp:
    """Performs requests and opens streams; connections last as long as the loop they are of."""

    def __init__(self, blobs: Blobs, *, most_bytes: int = MOST_BYTES) -> None:
        self._blobs = blobs
        self._most_bytes = most_bytes
        self._listening = Listening(blobs, most_bytes)
        self._sessions: dict[bool, aiohttp.ClientSession] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._until_the_end: AsyncGenerator[None] | None = None

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send one request and read its answer whole. Raises StoreError for a missing blob."""
        patience = aiohttp.ClientTimeout(total=request.timeout)
        try:
            async with self._exchange(request, patience) as answer:
                incoming = await self._read(request, answer)
        except TooLarge:
            return Lost("too_large", sent=True)
        except _Failed as failed:
            return failed.lost
        if incoming.save_to:
            return await asyncio.to_thread(incoming.finish, self._blobs)
        return incoming.finish(self._blobs)

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        """Hand on what a stream brings; see `http_listening`."""
        await self._listening.listen(request, take, idle)

    async def close(self) -> None:
        """Close every connection of the running loop; `asyncio.run` does so by itself."""
        if self._until_the_end is not None:
            await self._until_the_end.aclose()
            self._loop = None

    @asynccontextmanager
    async def _exchange(
        self, request: HttpRequest, patience: aiohttp.ClientTimeout
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        progress = _Progress()
        try:
            url = split_url(request.url)
            _check_literal(url.hostname or "", configured=request.configured)
            body = b"".join(await self._outgoing(request))
            session = await self._session(configured=request.configured)
            async with session.request(
                request.method,
                URL(url.geturl(), encoded=True),
                headers=headers_for(request, len(body)),
                data=io.BytesIO(body) if body else None,
                allow_redirects=False,
                timeout=patience,
                skip_auto_headers=("content-type",),
                trace_request_ctx=progress,
            ) as answer:
                yield answer
        except (AddressForbidden, aiohttp.ClientError, TimeoutError) as error:
            raise _Failed(_lost(error, sent=progress.sent)) from error

    async def _outgoing(self, request: HttpRequest) -> tuple[bytes, ...]:
        if isinstance(request.body, bytes):
            return outgoing(request, self._blobs)
        return await asyncio.to_thread(outgoing, request, self._blobs)

    async def _read(self, request: HttpRequest, answer: aiohttp.ClientResponse) -> Incoming:
        incoming = Incoming.begin(request, answer.status, answer.raw_headers, self._most_bytes)
        async for chunk in answer.content.iter_any():
            incoming.add(chunk)
        return incoming

    async def _session(self, *, configured: bool) -> aiohttp.ClientSession:
        """Connections to configured addresses are kept apart from all others."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._sessions = loop, {}
            self._until_the_end = _closing(self._sessions)
            await anext(self._until_the_end)
        if configured not in self._sessions:
            self._sessions[configured] = _new_session(configured=configured)
        return self._sessions[configured]


async def _closing(sessions: dict[bool, aiohttp.ClientSession]) -> AsyncGenerator[None]:
    """Close the sessions when the loop ends: it finishes every generator that is still open."""
    try:
        yield
    finally:
        while sessions:
            await sessions.popitem()[1].close()


def _new_session(*, configured: bool) -> aiohttp.ClientSession:
    noting = aiohttp.TraceConfig()
    noting.on_request_headers_sent.append(_note)
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(
            resolver=_CheckedResolver(configured=configured),
            ssl=tls_context(),
            limit=0,
            keepalive_timeout=KEPT_IDLE,
        ),
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        trust_env=False,
        trace_configs=[noting],
    )


@dataclass(slots=True)
class _Progress:
    """Notes when the request begins to be written: from there on it may have arrived."""

    sent: bool = False


class _Failed(Exception):
    def __init__(self, lost: Lost) -> None:
        super().__init__(lost.why)
        self.lost = lost


class _CheckedResolver(AbstractResolver):
    """Finds addresses that were checked; aiohttp connects to none but these."""

    def __init__(self, *, configured: bool) -> None:
        self._configured = configured

    @override
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, family=family)
        families = {str(where[0]): kind for kind, *_, where in found}
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=families[address],
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for address in admitted(list(families), host, configured=self._configured)
        ]

    @override
    async def close(self) -> None:
        """There is nothing to close."""


async def _note(_: aiohttp.ClientSession, context: Any, __: object) -> None:
    context.trace_request_ctx.sent = True


def _check_literal(host: str, *, configured: bool) -> None:
    """Check a host that is an address itself: aiohttp asks no resolver about it."""
    if aiohttp.helpers.is_ip_address(host):
        admitted([host], host, configured=configured)


def _lost(error: Exception, *, sent: bool) -> Lost:
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    if isinstance(cause, AddressForbidden):
        return Lost("forbidden", sent=False)
    if isinstance(error, TimeoutError):
        return Lost("timeout", sent=sent)
    return Lost("reset" if sent else "refused", sent=sent)
