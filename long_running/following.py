"""The watch loop of a process that stays up: many runs followed at once in one asyncio loop."""

import asyncio
import functools
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, Protocol

from threadline.backends.log_lines import place
from threadline.core.errors import StoreError
from threadline.core.ports import Queue, Received

LONG_POLL: Final = 1.0
"""Seconds one receive waits: how late the loop notices that it should stop."""

AFTER_TROUBLE: Final = 1.0
VISIBILITY: Final = 600.0
RENEW_EVERY: Final = 200.0
"""Seconds: a followed run may last for hours, and its hint stays hidden as long."""

log = logging.getLogger(__name__)


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
        self._running: dict[asyncio.Task[None], Received] = {}
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="runs")

    async def run(self) -> None:
        """Follow until stopped, then hand over and wait for every follower to return."""
        renewing = asyncio.create_task(self._renew())
        while not self._stopping.is_set():
            free = self._at_once - len(self._running)
            if free:
                for message in await self._receive(min(free, 10)):
                    task = asyncio.create_task(self._watch.follow(message.body))
                    self._running[task] = message
                    task.add_done_callback(self._ended)
            else:
                await asyncio.wait(
                    self._running, timeout=LONG_POLL, return_when=asyncio.FIRST_COMPLETED
                )
        self._watch.hand_over()
        while self._running:
            await asyncio.wait(self._running)
        renewing.cancel()
        self._threads.shutdown(wait=True)

    def stop(self) -> None:
        """Make `run` hand over and return. Returns at once."""
        self._stopping.set()

    async def _receive(self, limit: int) -> tuple[Received, ...]:
        try:
            return await self._blocking(
                functools.partial(self._queue.receive, limit, visibility=VISIBILITY, wait=LONG_POLL)
            )
        except StoreError as error:
            log.warning("queue runs cannot be read: %s", error)
            await asyncio.sleep(AFTER_TROUBLE)
            return ()

    def _ended(self, task: asyncio.Task[None]) -> None:
        message = self._running.pop(task)
        if task.cancelled():
            return
        if error := task.exception():
            log.error("watch failed: %s at %s", type(error).__name__, place(error))
            return
        self._threads.submit(self._delete, message)

    def _delete(self, message: Received) -> None:
        try:
            self._queue.delete([message.receipt])
        except StoreError as error:
            log.warning("queue runs: a followed hint comes again: %s", error)

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEW_EVERY)
            for message in list(self._running.values()):
                try:
                    await self._blocking(
                        functools.partial(
                            self._queue.change_visibility, message.receipt, VISIBILITY
                        )
                    )
                except StoreError as error:
                    log.warning("queue runs: a hint may come twice: %s", error)

    async def _blocking[T](self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)
