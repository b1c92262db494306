"""What one invocation follows: the hints it was handed, and more that it takes while these last."""

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Final

from threadline.app.trips import Trips
from threadline.app.watch import Watch
from threadline.core.errors import StoreError
from threadline.core.ports import Received

MOST_RUNS: Final = 200
TOGETHER: Final = 10
"""Hints that one receive gives, and one delete takes, at most."""

LOOK_EVERY: Final = 5.0
"""Seconds between looks that did not find the queue full: each is billed, whatever it finds."""

LOOK: Final = 1.0
"""Seconds of one look: long enough that SQS asks all its servers, short enough to outlast runs."""

LAST_LOOK: Final = 30.0
"""Seconds before everything is handed over; in these, hints are left to those that come after."""

HIDDEN: Final = 960.0
"""Seconds a hint that was taken stays hidden: longer than an invocation may last."""

type End = BaseException | None


@dataclass(slots=True)
class Invocation:
    """Follows the hints it was handed, and takes more from the queue while it has room and time.

    It ends with the last run it follows: the queue alone keeps nothing alive. A hint that it took
    is deleted when its run is over or handed over, and otherwise comes again: it is `hidden` for so
    many seconds. `look` is how many one look into the queue waits.
    """

    watch: Watch
    most: int = MOST_RUNS
    look: float = LOOK
    hidden: float = HIDDEN
    _under_way: set[asyncio.Task[None]] = field(default_factory=set)
    _deletes: Trips[str, None] = field(init=False)

    def __post_init__(self) -> None:
        self._deletes = Trips(self._delete, self.watch.blocking, TOGETHER)

    async def follow_all(self, bodies: Sequence[str]) -> Sequence[End]:
        """Follow until nothing is left; give what ended each of those handed over, None if well."""
        handed = [self._begin(self.watch.follow(body)) for body in bodies]
        await self._take_more(full=len(bodies) >= TOGETHER)
        return [task.exception() for task in handed]

    def _begin(self, following: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(following)
        self._under_way.add(task)
        return task

    async def _take_more(self, *, full: bool) -> None:
        """Take hints until none of those followed is left; one look comes after another if full."""
        while await self._anything_left(0.0 if full else LOOK_EVERY):
            room = min(self.most - len(self._under_way), TOGETHER)
            if room <= 0 or self._is_late():
                full = False
                continue
            found = await self._look(room)
            for hint in found:
                self._begin(self._follow(hint))
            full = len(found) == TOGETHER

    async def _anything_left(self, within: float) -> bool:
        """Wait so long for the end of all that is followed; tell whether it has not come."""
        if not self._under_way:
            return False
        done, self._under_way = await asyncio.wait(
            self._under_way, timeout=within, return_when=asyncio.FIRST_EXCEPTION
        )
        for error in filter(None, (task.exception() for task in done)):
            if not isinstance(error, Exception):
                raise error
            self.watch.world.log("hint", state="comes again", reason=type(error).__name__)
        return bool(self._under_way)

    def _is_late(self) -> bool:
        return self.watch.world.clock.now() >= self.watch.leave_at - LAST_LOOK

    async def _look(self, room: int) -> Sequence[Received]:
        world = self.watch.world
        try:
            return await self.watch.blocking(
                lambda: world.queues.runs.receive(room, visibility=self.hidden, wait=self.look)
            )
        except StoreError as error:
            world.log("hint", state="not received", reason=str(error))
            return ()

    async def _follow(self, hint: Received) -> None:
        """Follow what was taken; a failure leaves the hint to come again, as a batch's does."""
        await self.watch.follow(hint.body)
        await self._deletes.take(hint.receipt)

    def _delete(self, receipts: Sequence[str]) -> Sequence[None]:
        world = self.watch.world
        try:
            world.queues.runs.delete(receipts)
        except StoreError as error:
            world.log("hint", state="not deleted", reason=str(error))
        return [None] * len(receipts)
