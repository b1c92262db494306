"""The same installation where a function follows runs: few invocations, each with its time."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.simulation.roles import role
from tests.simulation.world import BUSY_STEP, VISIBILITY, Killed, Simulation, inline
from threadline.app.invocation import End, Invocation
from threadline.app.watch import Watch
from threadline.core.ports import Received

TIMEOUT = 870.0
"""Seconds of an invocation until it hands over."""


@dataclass(slots=True)
class InvokedSimulation(Simulation):
    """At most `at_once` invocations follow runs, each for `lasts` seconds; `begun` counts them."""

    at_once: int = 2
    lasts: float = TIMEOUT
    room: int = 200
    begun: int = 0
    _batches: dict[asyncio.Task[Sequence[End]], tuple[Received, ...]] = field(default_factory=dict)

    def _follow_more(self) -> bool:
        """Invoke with a batch where that may be; what is in the queue otherwise stays there."""
        if len(self._batches) >= self.at_once:
            return False
        batch = self._received("runs", 10)
        if not batch:
            return False
        self.begun += 1
        leave_at = self.clock.now() + self.lasts
        self.watch = Watch(self.world, blocking=inline, renewing=inline, leave_at=leave_at)
        with role("watch"):
            following = Invocation(self.watch, most=self.room, look=0.0, hidden=VISIBILITY["runs"])
            task = asyncio.ensure_future(following.follow_all([one.body for one in batch]))
        self._batches[task] = batch
        return True

    def quiet(self) -> bool:
        return not self._batches and Simulation.quiet(self)

    def _idle_step(self) -> float:
        return BUSY_STEP if self._batches else Simulation._idle_step(self)

    async def _reap(self) -> None:
        for task in [task for task in self._batches if task.done()]:
            batch = self._batches.pop(task)
            error = task.exception()
            if isinstance(error, Killed):
                await self._die()
                return
            if error is None:
                ended = zip(batch, task.result(), strict=True)
                self._queue("runs").delete([one.receipt for one, end in ended if end is None])

    async def _end_tasks(self) -> None:
        """End the invocations and all they follow."""
        self._batches = {}
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
