"""Behind a socket: deliveries go to ingest in order, and the cursor follows what was accepted."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from long_running.sockets.state import Backoff
from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.socket import Cursor, Missed, Step

SAVE_EVERY: Final = 1.0
MOST_WAITING: Final = 200
MOST_BYTES: Final = 8_000_000
"""Deliveries, and bytes of them, that wait for ingest, from which on nothing more is read."""

type Accept = Callable[[bytes], bool]
type Save = Callable[[Mapping[str, str]], None]
type Backfill = Callable[[Cursor], Missed]


@dataclass(slots=True)
class Accepting:
    """Takes steps of one socket, over all of its connections; made inside the running loop.

    `accept` tells whether a delivery is kept; one that is not is tried again until it is. `told`
    is called with what is wrong, "" once it is right again.
    """

    accept: Accept
    save: Save
    random: Callable[[], float]
    told: Callable[[str], None]
    backfill: Backfill | None = None
    backoff: Backoff = Backoff(0.5, 30.0)
    cursor: dict[str, str] = field(default_factory=dict)
    _waiting: asyncio.Queue[Step] = field(default_factory=asyncio.Queue)
    _waiting_count: int = 0
    _waiting_bytes: int = 0
    _unsaved: dict[str, str] = field(default_factory=dict)
    _saving: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def full(self) -> bool:
        """Whether so much waits that nothing more should be read."""
        return self._waiting_count >= MOST_WAITING or self._waiting_bytes >= MOST_BYTES

    def take(self, step: Step) -> None:
        """Take what a step delivers and saves."""
        if step.deliveries or step.save or step.gap:
            self._waiting.put_nowait(step)
            self._count(1, step)

    async def run(self) -> None:
        """Hand over what comes, until cancelled."""
        saving = asyncio.create_task(self._save_now_and_then())
        try:
            while True:
                step = await self._waiting.get()
                await self._hand_over(step.deliveries, step.save)
                if step.gap and self.backfill is not None:
                    await self._fill()
                self._count(-1, step)
                self._waiting.task_done()
        finally:
            saving.cancel()

    def _count(self, sign: int, step: Step) -> None:
        self._waiting_count += sign * max(len(step.deliveries), 1)
        self._waiting_bytes += sign * sum(len(body) for body in step.deliveries)

    async def settled(self) -> None:
        """Wait until everything is accepted and the cursor saved."""
        await self._waiting.join()
        await self._flush()

    async def _hand_over(self, deliveries: tuple[bytes, ...], save: Cursor) -> None:
        for delivery in deliveries:
            failures = 0
            while not await asyncio.to_thread(self._kept, delivery):
                self.told("the mailbox takes no messages at the moment")
                await asyncio.sleep(self.backoff.wait(failures, self.random()))
                failures += 1
            if failures:
                self.told("")
        self.cursor.update(save)
        self._unsaved.update(save)

    def _kept(self, delivery: bytes) -> bool:
        try:
            return self.accept(delivery)
        except StoreError:
            return False

    async def _fill(self) -> None:
        """Ask for what a gap swallowed; where that fails, live messages go on without it."""
        assert self.backfill is not None
        known = {name: text for name, text in self.cursor.items() if text}
        try:
            missed = await asyncio.to_thread(self.backfill, known)
        except ThreadlineError as error:
            self.told(f"what a gap swallowed could not be read: {type(error).__name__}")
            return
        await self._hand_over(missed.deliveries, missed.save)

    async def _save_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(SAVE_EVERY)
            await self._flush()

    async def _flush(self) -> None:
        async with self._saving:
            changed, self._unsaved = self._unsaved, {}
            if not changed:
                return
            try:
                await asyncio.to_thread(self.save, changed)
            except StoreError:
                self._unsaved = {**changed, **self._unsaved}
