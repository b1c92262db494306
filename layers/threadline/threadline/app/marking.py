"""A mark that a platform takes away by itself, such as typing: shown again until there is text."""

import asyncio
from dataclasses import dataclass
from typing import Final

from threadline.app.screen import Screen
from threadline.core.posting import Stage

FOREVER: Final = float("inf")
LONGEST: Final = 120.0
"""Seconds for which the mark is kept up: a run that is silent for longer has shown enough."""


@dataclass(slots=True)
class Marking:
    """The mark of one run; `due` is when it has to be shown again, never where it stays or ends."""

    screen: Screen
    due: float = FOREVER
    _until: float = 0.0
    _showing: asyncio.Task[bool] | None = None

    async def begin(self, now: float) -> None:
        """Show that work begins."""
        after = self.screen.platform.traits.mark_again_after
        if await self.screen.mark(Stage.RUNNING) and after:
            self.due, self._until = now + after, now + LONGEST

    def keep(self, now: float) -> None:
        """Show it again where it is due, beside everything else; one that fails is the last."""
        if now < self.due:
            return
        failed = self._showing is not None and self._showing.done() and not self._showing.result()
        if failed or self.screen.edits or now >= self._until:
            self.due = FOREVER
            return
        self.due = now + self.screen.platform.traits.mark_again_after
        if self._showing is None or self._showing.done():
            self._showing = asyncio.create_task(self.screen.mark(Stage.RUNNING))

    async def end(self) -> None:
        """Leave it: what is posted next takes it away."""
        self.due = FOREVER
        if self._showing is not None:
            self._showing.cancel()
            await asyncio.gather(self._showing, return_exceptions=True)
