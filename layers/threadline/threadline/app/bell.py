"""A bell that one sleeper waits for; thousands sleep at once, so it is a small thing."""

import asyncio
from dataclasses import dataclass


@dataclass(slots=True)
class Bell:
    """Wakes the one who rests, or lets him not even lie down where it rang before."""

    _rung: bool = False
    _sleeper: asyncio.Future[None] | None = None

    def ring(self) -> None:
        """Wake whoever rests, or who rests next."""
        self._rung = True
        _wake(self._sleeper)

    async def rest(self, seconds: float) -> None:
        """Sleep until it rings, at most for that long."""
        if not self._rung and seconds > 0:
            loop = asyncio.get_running_loop()
            self._sleeper = loop.create_future()
            timer = loop.call_later(seconds, _wake, self._sleeper)
            try:
                await self._sleeper
            finally:
                timer.cancel()
                self._sleeper = None
        self._rung = False


def _wake(sleeper: asyncio.Future[None] | None) -> None:
    if sleeper is not None and not sleeper.done():
        sleeper.set_result(None)
