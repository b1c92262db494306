"""Listening to an answer that goes on, such as a run's events: one connection, closed at its end.

What comes is handed on in the very call that brought it: no task is woken for it, and nothing of it
is kept. No redirects, cookies or proxies of the environment.
"""

import asyncio
from dataclasses import dataclass, field
from socket import SOCK_STREAM
from typing import Final, Literal, override
from urllib.parse import SplitResult

from threadline.backends.addresses import AddressForbidden, admitted
from threadline.backends.http_exchange import (
    Incoming,
    TooLarge,
    head_for,
    outgoing,
    split_url,
    tls_context,
)
from threadline.backends.http_framing import AnswerReader, Malformed
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take
from threadline.core.ports import Blobs

LONGEST_SILENCE: Final = 60.0
"""Seconds without a byte after which a stream counts as broken; servers send heartbeats."""

BUFFER: Final = 65_536
REMEMBERED: Final = 10.0
"""Seconds for which a host's addresses are kept: thousands of streams may open at once."""


class StreamRefused(Exception):
    """The stream was answered with something else than 200."""

    def __init__(self, answer: HttpResponse) -> None:
        super().__init__(f"answered {answer.status}")
        self.answer = answer


class StreamBroken(Exception):
    """The stream could not be opened or did not come to its end."""

    def __init__(self, lost: Lost) -> None:
        super().__init__(lost.why)
        self.lost = lost


@dataclass(slots=True)
class Listening:
    """Opens streams in one loop; they share a buffer, which is emptied as soon as it is filled."""

    blobs: Blobs
    most_bytes: int
    _buffer: memoryview = field(default_factory=lambda: memoryview(bytearray(BUFFER)))
    _names: dict[tuple[str, int], tuple[float, tuple[str, ...]]] = field(default_factory=dict)

    async def listen(self, request: HttpRequest, take: Take, idle: float) -> None:
        """Hand on what comes until the stream ends or `take` has enough.

        `HttpRequest.timeout` is for connecting, `idle` for the longest silence, both in seconds.
        Raises StreamRefused and StreamBroken, and what `take` raises.
        """
        line = _Line(request, take, idle, self._buffer, self.most_bytes)
        try:
            refusal = await self._heard(request, line)
        finally:
            line.leave()
        if refusal is not None:
            raise StreamRefused(refusal.finish(self.blobs))

    async def _heard(self, request: HttpRequest, line: "_Line") -> Incoming | None:
        """Ask, and hear the answer to its end; give one that is a refusal."""
        try:
            url = split_url(request.url)
            body = b"".join(outgoing(request, self.blobs))
            written = head_for(request, url, len(body), connection="close") + body
            async with asyncio.timeout(request.timeout):
                transport = await self._connect(url, line, configured=request.configured)
        except AddressForbidden:
            raise StreamBroken(Lost("forbidden", sent=False)) from None
        except TimeoutError:
            raise StreamBroken(Lost("timeout", sent=False)) from None
        except OSError:
            raise StreamBroken(Lost("refused", sent=False)) from None
        try:
            transport.write(written)
            return await line.over
        finally:
            transport.close()

    async def _connect(
        self, url: SplitResult, line: "_Line", *, configured: bool
    ) -> asyncio.Transport:
        """Connect to the first address that answers. Raises OSError."""
        loop, host = asyncio.get_running_loop(), url.hostname or ""
        secure = tls_context() if url.scheme == "https" else None
        port = url.port or (443 if secure else 80)
        failed = OSError(f"{host} has no address")
        for address in admitted(await self._found(host, port), host, configured=configured):
            try:
                transport, _ = await loop.create_connection(
                    lambda: line, address, port, ssl=secure,
                    server_hostname=host if secure else None,
                )  # fmt: skip
            except OSError as error:
                failed = error
            else:
                return transport
        raise failed

    async def _found(self, host: str, port: int) -> tuple[str, ...]:
        """Find a host's addresses, in the order to try. Raises OSError where it is unknown."""
        loop = asyncio.get_running_loop()
        until, addresses = self._names.get((host, port), (0.0, ()))
        if loop.time() >= until:
            found = await loop.getaddrinfo(host, port, type=SOCK_STREAM)
            addresses = tuple(dict.fromkeys(str(where[0]) for *_, where in found))
            self._names[host, port] = (loop.time() + REMEMBERED, addresses)
        return addresses


class _Line(asyncio.BufferedProtocol):
    """One connection: hands on the body of a 200; any other answer is kept until it is whole."""

    __slots__ = (
        "_answer", "_buffer", "_heard_at", "_idle", "_most", "_refusal", "_request", "_take",
        "_timer", "over",
    )  # fmt: skip

    def __init__(
        self, request: HttpRequest, take: Take, idle: float, buffer: memoryview, most: int
    ) -> None:
        loop = asyncio.get_running_loop()
        self.over: asyncio.Future[Incoming | None] = loop.create_future()
        self._request, self._take, self._idle, self._most = request, take, idle, most
        self._buffer = buffer
        self._answer = AnswerReader()
        self._refusal: Incoming | None = None
        self._heard_at = loop.time()
        self._timer = loop.call_later(idle, self._look)

    def leave(self) -> None:
        """Forget everything; what comes now is for nobody."""
        self._timer.cancel()
        if not self.over.cancel() and not self.over.cancelled():
            self.over.exception()

    @override
    def get_buffer(self, sizehint: int) -> memoryview:
        return self._buffer

    @override
    def buffer_updated(self, nbytes: int) -> None:
        if self.over.done():
            return
        self._heard_at = self.over.get_loop().time()
        try:
            for piece in self._answer.feed(self._buffer[:nbytes].tobytes()):
                if self._enough(piece):
                    self._end()
                    return
            if self._answer.ended:
                self._end()
        except Malformed:
            self._fail("reset")
        except TooLarge:
            self._fail("too_large")

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        if self.over.done():
            return
        if exc is not None and not isinstance(exc, OSError):
            self.over.set_exception(exc)  # what `take` raised
        elif exc is None and self._answer.close():
            self._end()
        else:
            self._fail("reset")

    def _enough(self, piece: bytes) -> bool:
        if self._answer.status == 200:
            return self._take(piece)
        if self._refusal is None:
            self._refusal = self._refused()
        self._refusal.add(piece)
        return False

    def _refused(self) -> Incoming:
        answer = self._answer
        return Incoming.begin(self._request, answer.status, answer.headers, self._most)

    def _end(self) -> None:
        refused = self._answer.status != 200
        self.over.set_result(self._refusal or self._refused() if refused else None)

    def _fail(self, why: Literal["reset", "timeout", "too_large"]) -> None:
        self.over.set_exception(StreamBroken(Lost(why, sent=True)))

    def _look(self) -> None:
        """See whether it was silent for too long."""
        loop = self.over.get_loop()
        rest = self._heard_at + self._idle - loop.time()
        if rest > 0:
            self._timer = loop.call_later(rest, self._look)
        elif not self.over.done():
            self._fail("timeout")
