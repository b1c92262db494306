"""An asyncio event loop in virtual time: where it would wait, time jumps instead.

`asyncio.sleep`, timeouts and every other timer go by the clock. Time stands still while a thread
of `run_in_executor` is at work.
"""

import asyncio
import selectors
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final, Protocol

GRACE: Final = 0.0
"""Real seconds in which sockets may answer before time jumps."""

_LOOK_AGAIN: Final = 0.05


class Jumps(Protocol):
    """A clock that can be moved."""

    def passed(self) -> float:
        """Give the seconds since its start."""
        ...

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        ...


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose time is a clock's; `grace` in real seconds is for tests with real sockets."""

    def __init__(self, clock: Jumps, grace: float = GRACE) -> None:
        self.clock = clock
        self.at_work = 0
        super().__init__(_JumpingSelector(self, grace))

    def time(self) -> float:
        return self.clock.passed()

    def run_in_executor[*Ts, T](
        self, executor: Executor | None, func: Callable[[*Ts], T], *args: *Ts
    ) -> asyncio.Future[T]:
        self.at_work += 1
        future: asyncio.Future[T] = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._returned)
        return future

    async def shutdown_default_executor(self, timeout: float | None = None) -> None:  # noqa: ASYNC109
        self.at_work += 1
        try:
            await super().shutdown_default_executor(timeout)
        finally:
            self.at_work -= 1

    def _returned(self, _: object) -> None:
        self.at_work -= 1


class _JumpingSelector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop, grace: float) -> None:
        super().__init__()
        self._loop = loop
        self._grace = grace

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if self._loop.at_work:
            return super().select(_LOOK_AGAIN)
        if timeout is None:
            return super().select(None)
        ready = super().select(self._grace) if self._grace else []
        if not ready:
            self._loop.clock.advance(timeout)
        return ready
