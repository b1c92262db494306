"""A platform's session machine on real connections, one after another, in a thread of its own."""

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidHandshake, InvalidURI

from long_running.sockets.accepting import Accept, Accepting, Backfill, Save
from long_running.sockets.pumping import DEAF_AFTER, Condition, Log, Pump
from long_running.sockets.state import Backoff, Phase, SocketState
from threadline.backends.http_exchange import USER_AGENT, tls_context
from threadline.core.errors import CredentialsRejected, StoreError
from threadline.core.socket import Cursor, End, Note, Opening

OPEN_WITHIN: Final = 15.0
PING_EVERY: Final = 20.0
REFUSED_AGAIN: Final = (60.0, 300.0, 900.0)
"""Seconds before a socket that was refused is tried again, by how often that was so in a row."""

SETTLE_WITHIN: Final = 14.0
STOP_WITHIN: Final = 18.0


@dataclass(kw_only=True)
class SessionSocket:
    """Holds one socket until stopped.

    `open` gives a session for a cursor, the time and chance; `admits` tells whether an address may
    be connected to. `accept` takes a delivery and tells whether it is kept; `load` and `save` keep
    the cursor; `backfill` asks for what a gap swallowed. `clock` gives epoch seconds, `random` a
    number between 0 and 1.
    """

    open: Callable[[Cursor, float, float], Opening]
    admits: Callable[[str], bool]
    accept: Accept
    load: Callable[[], dict[str, str]]
    save: Save
    log: Log
    clock: Callable[[], float]
    random: Callable[[], float]
    backfill: Backfill | None = None
    backoff: Backoff = Backoff()
    deaf_after: float = DEAF_AFTER
    _condition: Condition = field(default_factory=Condition, init=False)
    _thread: threading.Thread | None = field(default=None, init=False, repr=False)
    _wake: Callable[[], object] | None = field(default=None, init=False, repr=False)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event, init=False, repr=False)
    _stop_asked: bool = field(default=False, init=False)

    @property
    def state(self) -> SocketState:
        """How the socket is doing now."""
        return self._condition.state

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="session-socket", daemon=True)
        self._thread.start()

    def stop(self) -> bool:
        """Read nothing more, finish what was read, save the cursor; tell whether it has ended."""
        self._stop_asked = True
        if self._wake is not None:
            with suppress(RuntimeError):  # its loop has ended meanwhile
                self._wake()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        return self._thread is None or not self._thread.is_alive()

    def _run(self) -> None:
        try:
            asyncio.run(self._hold())
        finally:
            if self.state.phase is not Phase.REFUSED:
                why = "" if self._stop_asked else "a fault of ours ended it: see the log"
                self._condition.show(Phase.STOPPED, why)

    async def _hold(self) -> None:
        loop = asyncio.get_running_loop()
        self._wake = functools.partial(loop.call_soon_threadsafe, self._stopping.set)
        if self._stop_asked:
            return
        accepting = Accepting(self.accept, self.save, self.random, self._told, self.backfill)
        handing = asyncio.create_task(accepting.run())
        try:
            await self._reconnect(accepting)
            with suppress(TimeoutError):
                async with asyncio.timeout(SETTLE_WITHIN):
                    await accepting.settled()
        finally:
            handing.cancel()

    async def _reconnect(self, accepting: Accepting) -> None:
        failures = 0
        while await self._before_stop(accepting.settled()):
            self._condition.heard = False
            end = await self._once(accepting)
            failures = 0 if self._condition.heard else failures + 1
            phase = Phase.REFUSED if end.refused else Phase.BACKING_OFF
            self._condition.show(phase, end.why)
            wait = max(self.backoff.wait(max(failures - 1, 0), self.random()), end.wait)
            if end.refused:
                wait = max(wait, REFUSED_AGAIN[min(max(failures, 1), len(REFUSED_AGAIN)) - 1])
            if not await self._before_stop(asyncio.sleep(wait)):
                return

    async def _once(self, accepting: Accepting) -> End:
        """Hold one connection and give why it ended; its cursor is that of all before it."""
        try:
            accepting.cursor = await asyncio.to_thread(self.load)
            opening = self.open(dict(accepting.cursor), self.clock(), self.random())
        except StoreError as error:
            return End(f"the store does not answer ({type(error).__name__})")
        except CredentialsRejected as error:
            return End(str(error), refused=True)
        if not self.admits(opening.url):
            return End("the address of the socket is not the platform's", refused=True)
        self._condition.show(Phase.CONNECTING)
        try:
            return await self._connected(opening, accepting)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
            return End(f"it cannot be reached ({type(error).__name__})")

    async def _connected(self, opening: Opening, accepting: Accepting) -> End:
        async with connect(
            opening.url, additional_headers=opening.headers, max_size=opening.max_frame,
            ssl=tls_context() if opening.url.startswith("wss:") else None, proxy=None,
            open_timeout=OPEN_WITHIN, close_timeout=2.0, ping_interval=PING_EVERY,
            ping_timeout=PING_EVERY, user_agent_header=USER_AGENT,
        ) as socket:  # fmt: skip
            pump = Pump(
                socket=socket, accepting=accepting, condition=self._condition,
                stopping=self._stopping, clock=self.clock, log=self.log,
                deaf_after=self.deaf_after,
            )  # fmt: skip
            return await pump.run(opening.session)

    async def _before_stop(self, work: Coroutine[Any, Any, None]) -> bool:
        """Do something, unless it is time to stop before it is done."""
        doing = asyncio.ensure_future(work)
        stopped = asyncio.ensure_future(self._stopping.wait())
        await asyncio.wait({doing, stopped}, return_when=asyncio.FIRST_COMPLETED)
        going_on = not stopped.done()
        for one in (doing, stopped):
            one.cancel()
        await asyncio.gather(doing, stopped, return_exceptions=True)
        return going_on

    def _told(self, trouble: str) -> None:
        self._condition.trouble = trouble
        if trouble:
            self.log(Note("not_kept", trouble))
