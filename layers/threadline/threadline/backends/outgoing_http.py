"""HTTP behind the gate; see `outgoing`. The point of a request is `http.` and its label."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Protocol

from threadline.backends.http_asyncio import LONGEST_SILENCE, StreamBroken
from threadline.backends.outgoing import Gate
from threadline.core.http import HttpRequest, HttpResponse, Lost


class BlockingTransport(Protocol):
    """What performs requests in a thread."""

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send one request and read its answer whole."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


class AsyncioTransport(Protocol):
    """What performs requests and opens streams in a loop."""

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send one request and read its answer whole."""
        ...

    def stream(
        self, request: HttpRequest, *, idle: float = LONGEST_SILENCE
    ) -> AsyncGenerator[bytes]:
        """Yield bytes as they come."""
        ...

    async def close(self) -> None:
        """Close the connections."""
        ...


class GatedHttp:
    """A blocking transport behind a gate."""

    def __init__(self, transport: BlockingTransport, gate: Gate) -> None:
        self._transport = transport
        self._gate = gate

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        try:
            return self._gate.call(point(request), lambda: self._transport.perform(request))
        except (ConnectionError, TimeoutError) as error:
            return lost(error)

    def close(self) -> None:
        self._transport.close()


class GatedAsyncioHttp:
    """An asyncio transport behind a gate.

    Every piece of a stream passes at `http.<label> piece`, its end too: a stream can be cut
    anywhere. What fails there is StreamBroken.
    """

    def __init__(self, transport: AsyncioTransport, gate: Gate) -> None:
        self._transport = transport
        self._gate = gate

    async def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        try:
            return await self._gate.acall(point(request), lambda: self._transport.perform(request))
        except (ConnectionError, TimeoutError) as error:
            return lost(error)

    async def stream(
        self, request: HttpRequest, *, idle: float = LONGEST_SILENCE
    ) -> AsyncGenerator[bytes]:
        async with aclosing(self._transport.stream(request, idle=idle)) as pieces:

            async def following() -> bytes | None:
                return await anext(pieces, None)

            piece = await self._piece(point(request), following)
            while piece is not None:
                yield piece
                piece = await self._piece(f"{point(request)} piece", following)

    async def close(self) -> None:
        await self._transport.close()

    async def _piece(
        self, at: str, following: Callable[[], Awaitable[bytes | None]]
    ) -> bytes | None:
        try:
            return await self._gate.acall(at, following)
        except (ConnectionError, TimeoutError) as error:
            raise StreamBroken(lost(error)) from error


def point(request: HttpRequest) -> str:
    """Name the point of a request."""
    return f"http.{request.label}"


def lost(error: ConnectionError | TimeoutError) -> Lost:
    """Say of a call that the gate lost what a transport would say."""
    if isinstance(error, ConnectionRefusedError):
        return Lost("refused", sent=False)
    return Lost("timeout" if isinstance(error, TimeoutError) else "reset", sent=True)
