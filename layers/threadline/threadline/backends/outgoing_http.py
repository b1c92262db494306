"""HTTP behind the gate; see `outgoing`. The point of a request is `http.` and its label."""

from typing import Protocol

from threadline.backends.http_listening import LONGEST_SILENCE, StreamBroken
from threadline.backends.outgoing import Gate
from threadline.core.http import HttpRequest, HttpResponse, Lost, Take


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

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        """Hand on what a stream brings, until it ends or `take` has enough."""
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

    async def listen(
        self, request: HttpRequest, take: Take, *, idle: float = LONGEST_SILENCE
    ) -> None:
        def passed(piece: bytes) -> bool:
            self._pass(f"{point(request)} piece")
            return take(piece)

        self._pass(point(request))
        await self._transport.listen(request, passed, idle=idle)
        self._pass(f"{point(request)} piece")

    async def close(self) -> None:
        await self._transport.close()

    def _pass(self, at: str) -> None:
        try:
            self._gate.call(at, lambda: None)
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
