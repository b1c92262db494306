"""Blocking HTTP behind the gate; see `outgoing`. A request's point is `http.` and its label."""

from typing import Protocol

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


def point(request: HttpRequest) -> str:
    """Name the point of a request."""
    return f"http.{request.label}"


def lost(error: ConnectionError | TimeoutError) -> Lost:
    """Say of a call that the gate lost what a transport would say."""
    if isinstance(error, ConnectionRefusedError):
        return Lost("refused", sent=False)
    return Lost("timeout" if isinstance(error, TimeoutError) else "reset", sent=True)
