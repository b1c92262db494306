"""A platform's session machine on real connections, one after another, in a thread of its own."""

import asyncio
import functools
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidURI

from long_running.sockets.accepting import Accept, Accepting, Backfill, Save, SetAside
from long_running.sockets.pumping import DEAF_AFTER, STOPPED, Condition, Log, Pump
from long_running.sockets.state import Backoff, Phase, SocketState, Tries
from threadline.backends.http_exchange import USER_AGENT, tls_context
from threadline.backends.log_lines import place
from threadline.core.errors import CredentialsRejected, PostError, RateLimited, StoreError
from threadline.core.socket import NEVER, Cursor, End, Note, Opening

OPEN_WITHIN: Final = 15.0
PING_EVERY: Final = 20.0
SETTLE_WITHIN: Final = 11.0
SAVE_WITHIN: Final = 2.0
STOP_WITHIN: Final = 16.0


log = logging.getLogger(__name__)


@dataclass(kw_only=True)
class SessionSocket:
    """Holds one socket until stopped.

    `open` gives a session for a cursor, the time and chance, and may ask over HTTP first; `admits`
    tells whether an address may be connected to, `may` whether this process may hold the socket at
    all just now. `accept` takes a delivery and tells whether it is kept, `set_aside` one that
    breaks it; `load` and `save` keep the cursor; `backfill` asks for what a gap swallowed. `clock`
    gives epoch seconds, `random` a number between 0 and 1.
    """

    open: Callable[[Cursor, float, float], Opening]
    admits: Callable[[str], bool]
    accept: Accept
    load: Callable[[], dict[str, str]]
    save: Save
    log: Log
    clock: Callable[[], float]
    random: Callable[[], float]
    set_aside: SetAside = lambda _: False
    may: Callable[[], bool] = lambda: True
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
        fault = asyncio.run(self._watched())
        if fault is not None:
            log.error("a socket failed: %s at %s", type(fault).__name__, place(fault))
        why = "a fault of ours ended it: see the log" if fault else ""
        self._condition.show(Phase.STOPPED, why)

    async def _watched(self) -> BaseException | None:
        """Hold the socket until told to stop; give what ended it before, if anything did."""
        accepting = Accepting(
            accept=self.accept, save=self.save, random=self.random, told=self._told,
            set_aside=self.set_aside, backfill=self.backfill,
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        self._wake = functools.partial(loop.call_soon_threadsafe, self._stopping.set)
        handing = asyncio.create_task(accepting.run())
        holding = asyncio.create_task(self._hold(accepting))
        await asyncio.wait([handing, holding], return_when=asyncio.FIRST_COMPLETED)
        fault = (handing if handing.done() else holding).exception()
        while isinstance(fault, BaseExceptionGroup):
            fault = fault.exceptions[0]
        for task in (handing, holding):
            task.cancel()
        await asyncio.gather(handing, holding, return_exceptions=True)
        return fault

    async def _hold(self, accepting: Accepting) -> None:
        if self._stop_asked:
            return
        await self._reconnect(accepting)
        if self.may():
            await _within(SETTLE_WITHIN, accepting.settled())
            await _within(SAVE_WITHIN, accepting.saved())

    async def _reconnect(self, accepting: Accepting) -> None:
        tries = Tries(self.backoff, self.random)
        while not self._stopping.is_set():
            self._condition.heard_from = NEVER
            end = await self._once(accepting)
            phase = Phase.REFUSED if end.refused else Phase.BACKING_OFF
            self._condition.show(phase, self._condition.trouble or end.why)
            lasted = self.clock() - self._condition.heard_from
            wait = max(tries.next_after(lasted, refused=end.refused), end.wait)
            await self._unless_stopped(asyncio.sleep(wait))
            await self._unless_stopped(accepting.settled())

    async def _once(self, accepting: Accepting) -> End:
        """Hold one connection and give why it ended; its cursor is that of all before it."""
        if not self.may():
            return End("another process holds it")
        try:
            opening = await self._unless_stopped(self._opened(accepting))
        except StoreError as error:
            return End(f"the store does not answer ({type(error).__name__})")
        except CredentialsRejected as error:
            return End(str(error), refused=True)
        except PostError as error:
            wait = error.after if isinstance(error, RateLimited) else 0.0
            return End(str(error), wait=wait)
        if opening is None:
            return STOPPED
        if not self.admits(opening.url):
            return End("the address of the socket is not the platform's", refused=True)
        self._condition.show(Phase.CONNECTING)
        try:
            return await self._connected(opening, accepting)
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI) as error:
            return End(f"it cannot be reached ({type(error).__name__})")

    async def _opened(self, accepting: Accepting) -> Opening:
        accepting.cursor = await asyncio.to_thread(self.load)
        cursor, now, random = dict(accepting.cursor), self.clock(), self.random()
        return await asyncio.to_thread(self.open, cursor, now, random)

    async def _connected(self, opening: Opening, accepting: Accepting) -> End:
        socket = await self._unless_stopped(_reached(opening))
        if socket is None:
            return STOPPED
        async with socket:
            pump = Pump(
                socket=socket, accepting=accepting, condition=self._condition,
                stopping=self._stopping, may=self.may, clock=self.clock, log=self.log,
                deaf_after=self.deaf_after, goodbye=opening.goodbye,
            )  # fmt: skip
            return await pump.run(opening.session)

    async def _unless_stopped[T](self, work: Coroutine[Any, Any, T]) -> T | None:
        """Do something and give what comes of it, None where it is time to stop before."""
        doing = asyncio.create_task(work)
        stopped = asyncio.create_task(self._stopping.wait())
        await asyncio.wait({doing, stopped}, return_when=asyncio.FIRST_COMPLETED)
        done = doing.done()
        for one in (doing, stopped):
            one.cancel()
        await asyncio.gather(doing, stopped, return_exceptions=True)
        return doing.result() if done else None

    def _told(self, trouble: str) -> None:
        self._condition.trouble = trouble
        if trouble:
            self.log(Note("not_kept", trouble))


async def _reached(opening: Opening) -> ClientConnection:
    return await connect(
        opening.url, additional_headers=opening.headers, max_size=opening.max_frame,
        ssl=tls_context() if opening.url.startswith("wss:") else None, proxy=None,
        open_timeout=OPEN_WITHIN, close_timeout=2.0, ping_interval=PING_EVERY,
        ping_timeout=PING_EVERY, user_agent_header=USER_AGENT,
    )  # fmt: skip


async def _within(seconds: float, work: Coroutine[Any, Any, None]) -> None:
    """Do something for as long as there is time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await work
