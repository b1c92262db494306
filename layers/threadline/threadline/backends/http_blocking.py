"""The blocking HTTP driver: connections of each thread's own, nothing decided on its own.

It stands on sockets and the reader of answers that streams have; docs/decisions/0001 says why. No
redirects, cookies, proxies of the environment, or repeats.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from threadline.backends.addresses import AddressForbidden, resolve
from threadline.backends.connection import Connection
from threadline.backends.http_exchange import (
    MOST_BYTES,
    Incoming,
    TooLarge,
    head_for,
    outgoing,
    split_url,
    tls_context,
)
from threadline.backends.http_framing import Malformed
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ports import Blobs

KEPT_IDLE: Final = 4.0
"""Seconds; uvicorn closes after five, and a post must not meet a closing connection."""

MOST_KEPT: Final = 10
"""Connections of a thread that are kept for later."""

SENT_WITH_HEAD: Final = 65_536
"""Bytes of a body that go out together with the head."""


class BlockingHttp:
    """Performs requests; may be shared by threads.

    `HttpRequest.timeout` bounds connecting to an address, sending, every single wait for the answer
    and, together, the reading of it.
    """

    def __init__(
        self,
        blobs: Blobs,
        *,
        most_bytes: int = MOST_BYTES,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._blobs = blobs
        self._most_bytes = most_bytes
        self._monotonic = monotonic
        self._kept = _Kept()

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send one request and read its answer whole. Raises StoreError for a missing blob."""
        progress = _Progress()
        try:
            return self._exchange(request, progress).finish(self._blobs)
        except TooLarge:
            return Lost("too_large", sent=True)
        except AddressForbidden:
            return Lost("forbidden", sent=False)
        except TimeoutError:
            return Lost("timeout", sent=progress.sent)
        except (OSError, Malformed):
            return Lost("reset" if progress.sent else "refused", sent=progress.sent)

    def close(self) -> None:
        """Close the connections of every thread; no call may be under way."""
        self._kept.close()

    def _exchange(self, request: HttpRequest, progress: "_Progress") -> Incoming:
        url = split_url(request.url)
        parts = outgoing(request, self._blobs)
        length = sum(map(len, parts))
        parts = (head_for(request, url, length), *parts)
        if length <= SENT_WITH_HEAD:
            parts = (b"".join(parts),)
        port = url.port or (443 if url.scheme == "https" else 80)
        origin = _Origin(url.scheme, url.hostname or "", port, request.configured)
        deadline = self._monotonic() + request.timeout
        idle = self._kept.of_this_thread()
        connection = idle.take(origin, self._monotonic()) or _connect(origin, request.timeout)
        try:
            connection.wait_at_most(request.timeout)
            progress.sent = True
            connection.send(*parts)
            incoming = self._read(request, connection, deadline)
        except BaseException:
            connection.close()
            raise
        idle.keep(origin, connection, self._monotonic())
        return incoming

    def _read(self, request: HttpRequest, connection: Connection, deadline: float) -> Incoming:
        answer, incoming = connection.answer, None
        while incoming is None or not answer.ended:
            pieces = connection.receive()
            if self._monotonic() > deadline:
                raise TimeoutError
            if incoming is None and answer.status:
                incoming = Incoming.begin(request, answer.status, answer.headers, self._most_bytes)
            for piece in pieces:
                assert incoming is not None
                incoming.add(piece)
        return incoming


@dataclass(slots=True)
class _Progress:
    """Notes when the request begins to be written: from there on it may have arrived."""

    sent: bool = False


class _Origin(NamedTuple):
    """Where a connection leads; those to configured addresses are apart from all others."""

    scheme: str
    host: str
    port: int
    configured: bool


def _connect(origin: _Origin, timeout: float) -> Connection:
    """Connect to the first address that answers, of those that were checked; raises OSError."""
    tls = tls_context() if origin.scheme == "https" else None
    *others, last = resolve(origin.host, origin.port, configured=origin.configured)
    for address in others:
        try:
            return Connection(address, origin.port, timeout, origin.host, tls)
        except OSError:
            continue
    return Connection(last, origin.port, timeout, origin.host, tls)


class _Idle:
    """The connections of one thread that wait for a further request, one to an origin."""

    def __init__(self) -> None:
        self._until: dict[_Origin, tuple[Connection, float]] = {}

    def take(self, origin: _Origin, now: float) -> Connection | None:
        """Give a connection that is not to be met closing."""
        for one in [one for one, (_, until) in self._until.items() if until <= now]:
            self._until.pop(one)[0].close()
        kept = self._until.pop(origin, None)
        if kept is None or kept[0].is_quiet():
            return kept and kept[0]
        kept[0].close()
        return None

    def keep(self, origin: _Origin, connection: Connection, now: float) -> None:
        """Keep a connection for a while where it takes a further request."""
        if not connection.lasts:
            connection.close()
            return
        self._until[origin] = (connection, now + KEPT_IDLE)
        if len(self._until) > MOST_KEPT:
            self._until.pop(next(iter(self._until)))[0].close()

    def close(self) -> None:
        """Close them all."""
        while self._until:
            self._until.popitem()[1][0].close()


@dataclass(slots=True)
class _Kept:
    """What each thread keeps; what ended threads kept is closed when another one begins."""

    _own: threading.local = field(default_factory=threading.local)
    _made: list[tuple[threading.Thread, _Idle]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of_this_thread(self) -> _Idle:
        idle: _Idle | None = getattr(self._own, "idle", None)
        if idle is None:
            idle = self._own.idle = _Idle()
            with self._lock:
                self._close_where(lambda thread: not thread.is_alive())
                self._made.append((threading.current_thread(), idle))
        return idle

    def close(self) -> None:
        with self._lock:
            self._close_where(lambda _: True)
            self._own = threading.local()

    def _close_where(self, chosen: Callable[[threading.Thread], bool]) -> None:
        for thread, idle in self._made:
            if chosen(thread):
                idle.close()
        self._made = [pair for pair in self._made if not chosen(pair[0])]
