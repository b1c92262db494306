"""One open connection: frames and time go to its session, and what a step says is done."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from long_running.sockets.accepting import Accepting
from long_running.sockets.state import Phase, SocketState
from threadline.core.legible import legible
from threadline.core.socket import NEVER, End, Hearing, Note, Session, Step

DEAF_AFTER: Final = 60.0
"""Seconds in which an open connection has to be heard through."""

DEAF_FOR: Final = 300.0
"""Seconds of deafness after which a new connection may help."""

LONGEST_NAP: Final = 5.0
BROKEN: Final[Mapping[int, str]] = MappingProxyType(
    {
        1002: "broke the protocol",
        1007: "sent text that is no UTF-8",
        1009: "sent a frame that is too large",
    }
)
"""Codes with which we close a connection ourselves.
https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1"""
STOPPED: Final = End("stopped")

type Log = Callable[[Note], None]


@dataclass(slots=True)
class Condition:
    """How a socket is doing; `heard_from`: since when its connection is heard through.

    `trouble` is ingest's.
    """

    state: SocketState = SocketState()
    heard_from: float = NEVER
    trouble: str = ""

    def show(self, phase: Phase, why: str = "") -> None:
        """Show where the socket stands."""
        self.state = replace(self.state, phase=phase, why=why)

    def came(self, now: float) -> None:
        """Note that something came."""
        self.state = replace(self.state, last_event=now)


@dataclass(slots=True, kw_only=True)
class Pump:
    """Drives one session on one connection, for as long as this process `may` hold it."""

    socket: ClientConnection
    accepting: Accepting
    condition: Condition
    stopping: asyncio.Event
    may: Callable[[], bool]
    clock: Callable[[], float]
    log: Log
    goodbye: int = 1000
    deaf_after: float = DEAF_AFTER
    _tick_at: float = field(default=NEVER, init=False)
    _quiet_since: float = field(default=0.0, init=False)

    async def run(self, session: Session) -> End:
        """Go on until the session, the other side or we end it; give why."""
        self._quiet_since = self.clock()
        stopped: asyncio.Future[Any] = asyncio.ensure_future(self.stopping.wait())
        reading: asyncio.Future[Any] | None = None
        step = session.opened(self._quiet_since)
        try:
            while True:
                session = step.session
                if (end := await self._do(step)) is not None:
                    await self.socket.close(end.code)
                    return end
                if reading is None and not self.accepting.full:
                    reading = asyncio.ensure_future(self.socket.recv())
                await self._wait([stopped, reading] if reading else [stopped])
                if stopped.done() or not self.may():
                    return await self._left()
                now = self.clock()
                if self._tick_at <= now:  # due, however much comes
                    step = session.tick(now)
                elif reading is not None and reading.done():
                    frame, reading = reading.result(), None
                    self.condition.came(now)
                    step = session.feed(frame, now)
                else:
                    step = session.tick(now)
        except ConnectionClosed as closed:
            return self._closed(session, closed)
        finally:
            await _cancelled(stopped, *([reading] if reading else []))

    async def _left(self) -> End:
        await self.socket.close(self.goodbye)
        return STOPPED

    async def _do(self, step: Step) -> End | None:
        """Do what a step says, and show how its session hears."""
        self._taken(step)
        for frame in step.send:
            await self.socket.send(frame)
        self._tick_at = step.tick_at
        return step.end or self._hears(step.session)

    def _taken(self, step: Step) -> None:
        self.accepting.take(step)
        for note in step.notes:
            self.log(note)

    def _hears(self, session: Session) -> End | None:
        now, hearing = self.clock(), session.hearing
        if hearing is Hearing.HEARING:
            self.condition.heard_from = min(self.condition.heard_from, now)
            self._quiet_since = now
            self.condition.show(Phase.CONNECTED, self.condition.trouble)
        elif hearing is Hearing.DEAF or now - self._quiet_since > self.deaf_after:
            why = session.why or "the other side never let us listen"
            self.condition.show(Phase.DEAF, why)
        if now - self._quiet_since > self.deaf_after + DEAF_FOR:
            return End("nothing was heard for minutes")
        return None

    async def _wait(self, waited: list[asyncio.Future[Any]]) -> None:
        longest = 1.0 if self.accepting.full else LONGEST_NAP
        seconds = min(max(self._tick_at - self.clock(), 0.0), longest)
        await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    def _closed(self, session: Session, closed: ConnectionClosed) -> End:
        code = closed.rcvd.code if closed.rcvd else 1006
        reason = legible(closed.rcvd.reason) if closed.rcvd else ""
        step = session.closed(code, reason, self.clock())
        self._taken(step)
        if step.end is not None:
            return step.end
        if closed.sent is not None and closed.sent.code in BROKEN:
            return End(f"the other side {BROKEN[closed.sent.code]}")
        return End(f"the connection ended ({f'{code} {reason}'.strip()})")


async def _cancelled(*tasks: asyncio.Future[Any]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
