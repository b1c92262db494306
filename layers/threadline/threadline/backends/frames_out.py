"""Requests to `ws` and `wss` addresses: a frame out, and the frame that answers it.

A request's body is sent as one text message, and its answer is the first text message that holds
the words of its header `answer-holds`. An empty body sends nothing: the latest such message that
came since the connection was opened is the answer, else the next one. A message that answers nobody
by name and holds the words of `refusal-holds` answers whoever waits longest. The answer's header
`received-at` is when it was given, in epoch seconds.
"""

import threading
from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Final

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.sync.client import ClientConnection, connect

from threadline.backends.http_exchange import USER_AGENT, tls_context
from threadline.core.http import HttpRequest, HttpResponse, Lost

HOLDS: Final = "answer-holds"
REFUSAL: Final = "refusal-holds"
RECEIVED_AT: Final = "received-at"
OPEN_WITHIN: Final = 8.0
KEPT_IDLE: Final = 20.0
"""Seconds after which a connection is opened anew: a frozen process does not notice its end."""

MOST_KEPT: Final = 32


@dataclass(slots=True)
class _Waiter:
    holds: str
    refusal: str
    told: threading.Event = field(default_factory=threading.Event)
    frame: str | None = None


class _Line:
    """One connection; a thread of its own reads it."""

    def __init__(
        self, connecting: AbstractContextManager[ClientConnection], clock: Callable[[], float]
    ) -> None:
        self._held = ExitStack()
        self._connection: ClientConnection = self._held.enter_context(connecting)
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: deque[str] = deque(maxlen=MOST_KEPT)
        self._waiters: list[_Waiter] = []
        self.open = True
        self.used_at = clock()
        threading.Thread(target=self._read, name="frames-out", daemon=True).start()

    def exchange(self, frame: str, waiter: _Waiter, seconds: float) -> str | Lost:
        """Send a frame, if there is one, and wait for its answer."""
        self.used_at = self._clock()
        with self._lock:
            if not frame and (known := [one for one in self._kept if waiter.holds in one]):
                return known[-1]
            self._waiters.append(waiter)
        try:
            if frame:
                self._connection.send(frame)
            told = waiter.told.wait(seconds)
        except (ConnectionClosed, OSError):
            self.open = told = False
        with self._lock:
            self._waiters.remove(waiter)
        if waiter.frame is not None:
            return waiter.frame
        ended = told or not self.open
        self.close()
        return Lost("reset" if ended else "timeout", sent=bool(frame))

    def close(self) -> None:
        """End the connection; whoever waits is told that nothing will come."""
        self.open = False
        self._held.close()

    def _read(self) -> None:
        try:
            for frame in self._connection:
                if isinstance(frame, str):
                    self._hand_out(frame)
        except (ConnectionClosed, OSError):
            pass
        self.open = False
        with self._lock:
            for waiter in self._waiters:
                waiter.told.set()

    def _hand_out(self, frame: str) -> None:
        with self._lock:
            self._kept.append(frame)
            waiting = [one for one in self._waiters if one.frame is None]
            refused = [one for one in waiting if one.refusal and one.refusal in frame]
            for waiter in [one for one in waiting if one.holds in frame] or refused[:1]:
                waiter.frame = frame
                waiter.told.set()


class FramesOut:
    """Performs requests, with one kept connection an address; may be shared by threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._opening: dict[str, threading.Lock] = {}
        self._lines: dict[str, _Line] = {}

    def perform(self, request: HttpRequest) -> HttpResponse | Lost:
        """Exchange one frame. Only an address that stands in the configuration is connected to."""
        if not request.configured or not isinstance(request.body, bytes):
            return Lost("forbidden", sent=False)
        try:
            line = self._line(request.url)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI):
            return Lost("refused", sent=False)
        waiter = _Waiter(request.headers.get(HOLDS, ""), request.headers.get(REFUSAL, ""))
        answer = line.exchange(request.body.decode(), waiter, request.timeout)
        if isinstance(answer, Lost):
            return answer
        return HttpResponse(200, {RECEIVED_AT: str(self._clock())}, answer.encode())

    def close(self) -> None:
        """Close every connection."""
        with self._lock:
            lines, self._lines = list(self._lines.values()), {}
        for line in lines:
            line.close()

    def _line(self, url: str) -> _Line:
        with self._lock:
            opening = self._opening.setdefault(url, threading.Lock())
        with opening:
            line = self._lines.get(url)
            if line is not None and line.open and self._clock() - line.used_at < KEPT_IDLE:
                return line
            if line is not None:
                line.close()
            connecting = connect(
                url, ssl=tls_context() if url.startswith("wss:") else None, proxy=None,
                open_timeout=OPEN_WITHIN, close_timeout=1.0, user_agent_header=USER_AGENT,
            )  # fmt: skip
            self._lines[url] = line = _Line(connecting, self._clock)
            return line
