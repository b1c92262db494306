"""The watch loop of a process that stays up: many runs followed at once in one asyncio loop."""

import asyncio
import functools
import logging
from collections.abc import Sequence
from typing import Final, Protocol

from threadline.app.trips import Trips
from threadline.backends.log_lines import place
from threadline.backends.threads import Threads, raise_descriptors
from threadline.core.errors import StoreError
from threadline.core.ports import Queue, Received

LONG_POLL: Final = 1.0
"""Seconds one receive waits: how late the loop notices that it should stop."""

AFTER_TROUBLE: Final = 1.0
VISIBILITY: Final = 600.0
RENEW_EVERY: Final = 200.0
"""Seconds: a followed run may last for hours, and its hint stays hidden as long."""

TOGETHER: Final = 10
HAND_OVER_WITHIN: Final = 15.0
"""Seconds; the leases of those that take longer end by themselves."""

log = logging.getLogger(__name__)

SPARE_DESCRIPTORS: Final = 512
"""Files and connections that are not those of followed runs."""

CONNECTIONS_OF_A_RUN: Final = 2
"""Its stream, and a question or an edit beside it."""


def room(most_runs: int) -> int:
    """Give how many runs this process may follow: fewer where it may not open enough."""
    most = raise_descriptors()
    room = max((most - SPARE_DESCRIPTORS) // CONNECTIONS_OF_A_RUN, 1)
    if room < most_runs:
        log.warning("following %d runs at most: only %d files may be opened", room, most)
    return min(room, most_runs)


class Follows(Protocol):
    """What follows runs; see `threadline.app.watch`."""

    async def follow(self, body: str) -> None:
        """Follow the run of one hint until nothing is left to do or it is handed over."""
        ...

    def hand_over(self) -> None:
        """Make every `follow` return soon, its run left to whoever takes the next hint."""
        ...


class Follower:
    """Takes hints from the runs queue and follows at most `at_once` of them."""

    def __init__(self, queue: Queue, watch: Follows, at_once: int = 200) -> None:
        self._queue = queue
        self._watch = watch
        self._at_once = at_once
        self._stopping = asyncio.Event()
        self._running: dict[asyncio.Task[None], str] = {}
        self._deleting: set[asyncio.Task[None]] = set()
        self._threads = Threads(4, "runs")
        self._deletes = Trips(self._delete, self._threads, TOGETHER)

    async def run(self) -> None:
        """Follow until stopped, then hand over; what takes too long to hand over is left behind."""
        renewing = asyncio.create_task(self._renew())
        while not self._stopping.is_set():
            free = self._at_once - len(self._running)
            if free:
                for message in await self._receive(min(free, TOGETHER)):
                    task = asyncio.create_task(self._watch.follow(message.body))
                    self._running[task] = message.receipt
                    task.add_done_callback(self._ended)
            else:
                await asyncio.wait(
                    self._running, timeout=LONG_POLL, return_when=asyncio.FIRST_COMPLETED
                )
        await self._hand_over()
        renewing.cancel()
        if self._deleting:
            await asyncio.wait(self._deleting)
        self._threads.close()

    def stop(self) -> None:
        """Make `run` hand over and return. Returns at once."""
        self._stopping.set()

    async def _hand_over(self) -> None:
        self._watch.hand_over()
        if not self._running:
            return
        _, late = await asyncio.wait(self._running, timeout=HAND_OVER_WITHIN)
        if late:
            log.warning("%d runs were not handed over: found again within a minute", len(late))
            for task in late:
                task.cancel()
            await asyncio.wait(late)

    async def _receive(self, limit: int) -> tuple[Received, ...]:
        try:
            return await self._threads(
                functools.partial(self._queue.receive, limit, visibility=VISIBILITY, wait=LONG_POLL)
            )
        except StoreError as error:
            log.warning("queue runs cannot be read: %s", error)
            await asyncio.sleep(AFTER_TROUBLE)
            return ()

    def _ended(self, task: asyncio.Task[None]) -> None:
        receipt = self._running.pop(task)
        if task.cancelled():
            return
        if error := task.exception():
            log.error("watch failed: %s at %s", type(error).__name__, place(error))
            return
        deleting = asyncio.create_task(self._deletes.take(receipt))
        self._deleting.add(deleting)
        deleting.add_done_callback(self._deleting.discard)

    def _delete(self, receipts: Sequence[str]) -> Sequence[None]:
        try:
            self._queue.delete(receipts)
        except StoreError as error:
            log.warning("queue runs: followed hints come again: %s", error)
        return [None] * len(receipts)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY)
            receipts = list(self._running.values())
            try:
                await self._threads(
                    functools.partial(self._queue.change_visibility, receipts, VISIBILITY)
                )
            except StoreError as error:
                log.warning("queue runs: hints may come twice: %s", error)
