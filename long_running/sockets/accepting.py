"""Behind a socket: deliveries go to ingest in order, and the cursor follows what was accepted."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from long_running.sockets.state import Backoff
from threadline.backends.log_lines import place
from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.socket import Cursor, Missed, Step

SAVE_EVERY: Final = 1.0
MOST_WAITING: Final = 200
MOST_BYTES: Final = 8_000_000
"""Deliveries, and bytes of them, that wait for ingest, from which on nothing more is read."""

MOST_FAULTS: Final = 5
"""Times that a delivery may break ingest before it is left out, so that others are not held up."""

type Accept = Callable[[bytes], bool]
type SetAside = Callable[[bytes], bool]
type Save = Callable[[Mapping[str, str]], None]
type Backfill = Callable[[Cursor], Missed]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Turn:
    """What waits: deliveries, what to save after them, and whether a gap is to be filled then."""

    deliveries: tuple[bytes, ...] = ()
    save: Cursor = field(default_factory=dict)
    gap: bool = False

    @property
    def size(self) -> tuple[int, int]:
        """How much it is: deliveries, at least 1, and their bytes."""
        return max(len(self.deliveries), 1), sum(map(len, self.deliveries))


@dataclass(slots=True, kw_only=True)
class Accepting:
    """Takes steps of one socket, over all of its connections; made inside the running loop.

    `accept` tells whether a delivery is kept; one that is not is tried again until it is. One that
    breaks ingest again and again is `set_aside` instead. `told` is called with what is wrong, ""
    once it is right again.
    """

    accept: Accept
    save: Save
    random: Callable[[], float]
    told: Callable[[str], None]
    set_aside: SetAside
    backfill: Backfill | None = None
    backoff: Backoff = Backoff(0.5, 30.0)
    fill_again: Backoff = Backoff(15.0, 600.0)
    cursor: dict[str, str] = field(default_factory=dict)
    _waiting: asyncio.Queue[_Turn] = field(default_factory=asyncio.Queue)
    _waiting_count: int = 0
    _waiting_bytes: int = 0
    _unsaved: dict[str, str] = field(default_factory=dict)
    _writing: asyncio.Task[None] | None = None
    _unfilled: int = 0
    _asking_again: bool = False

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be read."""
        return self._waiting_count >= MOST_WAITING or self._waiting_bytes >= MOST_BYTES

    def take(self, step: Step) -> None:
        """Take what a step delivers and saves."""
        if step.deliveries or step.save or step.gap:
            self._put(_Turn(step.deliveries, step.save, step.gap))

    async def run(self) -> None:
        """Hand over what comes, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._save_now_and_then())
            tasks.create_task(self._take_turns(tasks))

    async def settled(self) -> None:
        """Wait until everything is accepted and the cursor saved."""
        await self._waiting.join()
        await self.saved()

    async def saved(self) -> None:
        """Wait until the cursor of what was accepted so far is saved, or cannot be just now.

        One write at a time, which goes on where the wait for it is given up: an older value never
        comes after a newer one.
        """
        while self._writing is not None and not self._writing.done():
            await asyncio.shield(self._writing)
        if self._unsaved:
            self._writing = asyncio.create_task(self._write())
            await asyncio.shield(self._writing)

    async def _write(self) -> None:
        changed, self._unsaved = self._unsaved, {}
        try:
            await asyncio.to_thread(self.save, changed)
        except StoreError:
            self._unsaved = {**changed, **self._unsaved}

    async def _take_turns(self, tasks: asyncio.TaskGroup) -> None:
        while True:
            turn = await self._waiting.get()
            begun = not turn.save.keys() <= self.cursor.keys()
            await self._hand_over(turn.deliveries, turn.save)
            if begun:  # what a place begins with must not be lost with this process
                await self.saved()
            if turn.gap and self.backfill is not None:
                await self._fill(self.backfill, tasks)
            self._count(-1, turn)
            self._waiting.task_done()

    def _put(self, turn: _Turn) -> None:
        self._waiting.put_nowait(turn)
        self._count(1, turn)

    def _count(self, sign: int, turn: _Turn) -> None:
        count, size = turn.size
        self._waiting_count += sign * count
        self._waiting_bytes += sign * size

    async def _hand_over(self, deliveries: tuple[bytes, ...], save: Cursor) -> None:
        for delivery in deliveries:
            failures = faults = 0
            while not (kept := await self._kept(delivery)):
                faults += kept is None
                if faults >= MOST_FAULTS and await asyncio.to_thread(self.set_aside, delivery):
                    break
                self.told("the mailbox takes no messages at the moment")
                await asyncio.sleep(self.backoff.wait(failures, self.random()))
                failures += 1
            if failures:
                self.told("")
        self.cursor.update(save)
        self._unsaved.update(save)

    async def _kept(self, delivery: bytes) -> bool | None:
        """Hand a delivery over; tell whether it is kept, None where it broke ingest."""
        handing = asyncio.create_task(asyncio.to_thread(self.accept, delivery))
        await asyncio.wait([handing])
        error = handing.exception()
        if error is None:
            return handing.result()
        if isinstance(error, StoreError):
            return False
        log.error("ingest failed: %s at %s", type(error).__name__, place(error))
        return None

    async def _fill(self, backfill: Backfill, tasks: asyncio.TaskGroup) -> None:
        """Ask for what a gap swallowed; where that fails live messages go on, and it comes again.

        Until it is filled the cursor names the gap, so that the next connection asks, too.
        """
        known = {name: text for name, text in self.cursor.items() if text}
        try:
            missed = await asyncio.to_thread(backfill, known)
        except ThreadlineError as error:
            self.told(f"what a gap swallowed could not be read: {type(error).__name__}")
            if not self._asking_again:
                self._asking_again = True
                tasks.create_task(self._ask_again())
            return
        await self._hand_over(missed.deliveries, missed.save)
        if self._unfilled:
            self._unfilled = 0
            self.told("")

    async def _ask_again(self) -> None:
        await asyncio.sleep(self.fill_again.wait(self._unfilled, self.random()))
        self._unfilled, self._asking_again = self._unfilled + 1, False
        self._put(_Turn(gap=True))

    async def _save_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY)
            await self.saved()
