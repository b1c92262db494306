"""The clock on the wall, and one that stands still until it is told to go on."""

import asyncio
import threading
import time
from typing import Final

from threadline.backends.virtual_loop import VirtualLoop

START: Final = 1_750_000_000.0
_STEADY: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def steady() -> float:
    """Give seconds from a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(_STEADY)


class SystemClock:
    """The machine's own time."""

    def now(self) -> float:
        return time.time()

    def sleep(self, seconds: float) -> None:
        time.sleep(max(seconds, 0.0))

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class VirtualClock:
    """Time that moves only by `advance`, by `sleep`, and by the pauses of its own loop.

    Kept in whole microseconds, so that the same steps always give the same time. Thread-safe.
    """

    def __init__(self, start: float = START) -> None:
        self._lock = threading.Lock()
        self._start = round(start * 1e6)
        self._passed = 0

    def now(self) -> float:
        return (self._start + self._passed) / 1e6

    def passed(self) -> float:
        """Give the seconds since the start."""
        return self._passed / 1e6

    def advance(self, seconds: float) -> None:
        """Let time pass; a positive step is at least a microsecond."""
        if seconds > 0:
            with self._lock:
                self._passed += max(round(seconds * 1e6), 1)

    def sleep(self, seconds: float) -> None:
        """Let the time pass at once, without waiting."""
        self.advance(seconds)

    async def pause(self, seconds: float) -> None:
        """Wait until this loop's other tasks wait too and no earlier pause is left.

        Raises RuntimeError outside a loop of this clock: `asyncio.run(…, loop_factory=clock.loop)`.
        """
        running = asyncio.get_running_loop()
        if not isinstance(running, VirtualLoop) or running.clock is not self:
            raise RuntimeError("a virtual pause wants asyncio.run(…, loop_factory=clock.loop)")
        await asyncio.sleep(seconds)

    def loop(self) -> asyncio.AbstractEventLoop:
        """Make an event loop that lives in this time."""
        return VirtualLoop(self)
