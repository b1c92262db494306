"""Ctrl-C: the first one drains, the second one ends at once."""

import asyncio
import os
import signal
from collections.abc import Callable
from typing import Any, Final

AT_ONCE: Final = 130


class Stop:
    """Whether the person asked to stop; made inside the running loop."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._asked = asyncio.Event()

    @property
    def asked(self) -> bool:
        """Whether it is time to stop."""
        return self._asked.is_set()

    def on_signals(self) -> None:
        """Listen to Ctrl-C and to being asked to end."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self.ask)

    def ask(self) -> None:
        """Stop in good order; asked twice, end this process here and now.

        The demo agent then ends too: its watchdog sees this process go.
        """
        if self.asked:
            os._exit(AT_ONCE)
        self._say("Stopping: finishing what is in flight (Ctrl-C again ends at once)…")
        self._asked.set()

    async def or_done(self, *others: asyncio.Future[Any]) -> None:
        """Wait until it is time to stop or one of the others is done."""
        asked = asyncio.ensure_future(self._asked.wait())
        await asyncio.wait({asked, *others}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
