"""The blocking HTTP driver: one connection pool per thread, nothing decided on its own.

It stands on httpcore, the transport under httpx: that has a public place for connecting to the very
address that was checked, tells when a request begins to be written, and costs two thirds of the
time. No redirects, cookies, proxies of the environment, or repeats.
"""

import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, override

import httpcore

from threadline.backends.addresses import AddressForbidden, resolve
from threadline.backends.http_exchange import (
    MOST_BYTES,
    Incoming,
    TooLarge,
    headers_for,
    outgoing,
    split_url,
    tls_context,
)
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ports import Blobs

KEPT_IDLE: Final = 4.0
"""Seconds; uvicorn closes after five, and a post must not meet a closing connection."""


class BlockingHttp:
    """Performs requests; may be shared by threads.

    `HttpRequest.timeout` bounds every single wait and, together, the reading of the body.
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
        self._pools = _Pools()

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Send one request and read its answer whole. Raises StoreError for a missing blob."""
        progress = _Progress()
        try:
            return self._exchange(request, progress)
        except TooLarge:
            return Lost("too_large", sent=True)
        except AddressForbidden:
            return Lost("forbidden", sent=False)
        except (httpcore.TimeoutException, TimeoutError):
            return Lost("timeout", sent=progress.sent)
        except (httpcore.NetworkError, httpcore.ProtocolError):
            return Lost("reset" if progress.sent else "refused", sent=progress.sent)

    def close(self) -> None:
        """Close the connections of every thread; no call may be under way."""
        self._pools.close()

    def _exchange(self, request: HttpRequest, progress: "_Progress") -> HttpResponse:
        url = split_url(request.url)
        parts = outgoing(request, self._blobs)
        deadline = self._monotonic() + request.timeout
        phases = dict.fromkeys(("connect", "write", "read", "pool"), request.timeout)
        with self._pools.of_this_thread(configured=request.configured).stream(
            request.method,
            httpcore.URL(
                scheme=url.scheme,
                host=url.hostname or "",
                port=url.port,
                target=f"{url.path}?{url.query}" if url.query else url.path,
            ),
            headers=list(headers_for(request, sum(map(len, parts))).items()),
            content=iter(parts) if parts else None,
            extensions={"timeout": phases, "trace": progress.note},
        ) as answer:
            incoming = Incoming.begin(request, answer.status, answer.headers, self._most_bytes)
            for chunk in answer.iter_stream():
                incoming.add(chunk)
                if self._monotonic() > deadline:
                    raise TimeoutError
        return incoming.finish(self._blobs)


@dataclass(slots=True)
class _Progress:
    """Notes when the request begins to be written: from there on it may have arrived."""

    sent: bool = False

    def note(self, event: str, _: Mapping[str, Any]) -> None:
        if event.endswith(".send_request_headers.started"):
            self.sent = True


@dataclass(slots=True)
class _Pools:
    """Each thread's connections, those to configured addresses apart from all others."""

    _own: threading.local = field(default_factory=threading.local)
    _made: list[tuple[threading.Thread, httpcore.ConnectionPool]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of_this_thread(self, *, configured: bool) -> httpcore.ConnectionPool:
        name = "configured" if configured else "public"
        pool: httpcore.ConnectionPool | None = getattr(self._own, name, None)
        if pool is None:
            pool = httpcore.ConnectionPool(
                ssl_context=tls_context(),
                keepalive_expiry=KEPT_IDLE,
                network_backend=_CheckedBackend(configured=configured),
            )
            setattr(self._own, name, pool)
            with self._lock:
                self._close_where(lambda thread: not thread.is_alive())
                self._made.append((threading.current_thread(), pool))
        return pool

    def close(self) -> None:
        with self._lock:
            self._close_where(lambda _: True)
            self._own = threading.local()

    def _close_where(self, chosen: Callable[[threading.Thread], bool]) -> None:
        for thread, pool in self._made:
            if chosen(thread):
                pool.close()
        self._made = [pair for pair in self._made if not chosen(pair[0])]


class _CheckedBackend(httpcore.NetworkBackend):
    """Connects to addresses that were checked; TLS still goes by the name."""

    def __init__(self, *, configured: bool) -> None:
        self._configured = configured
        self._sockets = httpcore.SyncBackend()

    @override
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        try:
            addresses = resolve(host, port, configured=self._configured)
        except socket.gaierror as error:
            raise httpcore.ConnectError(str(error)) from error
        for address in addresses[:-1]:
            try:
                return self._sockets.connect_tcp(address, port, timeout, local_address)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                continue
        return self._sockets.connect_tcp(addresses[-1], port, timeout, local_address)
