"""Queue workers: what SQS and Lambda do between a queue and a function."""

import logging
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from threadline.backends.log_lines import place
from threadline.core.errors import StoreError
from threadline.core.ports import Queue
from threadline.local.function import Function
from threadline.local.sqs_event import Batch, failed_ids, sqs_event

LONG_POLL: Final = 1.0
"""Seconds one receive waits: how late a worker notices that it should stop."""

AFTER_TROUBLE: Final = 1.0

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A queue and how its messages reach the function, as an event source mapping says it.

    `batch` messages at most an invocation, `parallel` invocations at once, each message hidden for
    `visibility` seconds.
    """

    name: str
    queue: Queue
    fifo: bool
    function: Function
    batch: int = 1
    parallel: int = 4
    visibility: float = 60.0


class Worker:
    """Feeds one function from one queue until stopped.

    A FIFO queue gives no message of a group that has one in flight, so groups run in parallel and
    each of them in order. Only as many messages are taken as can be handled at once: one that waits
    here would count as tried.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._stopping = threading.Event()
        self._slots = threading.BoundedSemaphore(source.parallel)
        self._pool = ThreadPoolExecutor(source.parallel, thread_name_prefix=source.name)
        self._receiver = threading.Thread(
            target=self._receive, name=f"{source.name}-receiver", daemon=True
        )

    def start(self) -> None:
        """Begin to receive."""
        self._receiver.start()

    def stop(self) -> None:
        """Take no further message; those in flight go on. Returns at once."""
        self._stopping.set()

    def join(self) -> None:
        """Wait until everything that was taken is handled. Only after `stop`."""
        self._receiver.join()
        self._pool.shutdown(wait=True)

    def _receive(self) -> None:
        while self._free_slot():
            batch = self._next_batch()
            if batch is None:
                self._slots.release()
            else:
                self._pool.submit(self._invoke, batch).add_done_callback(
                    lambda done, batch=batch: self._settle(batch, done)  # type: ignore[misc]
                )

    def _free_slot(self) -> bool:
        while not self._stopping.is_set():
            if self._slots.acquire(timeout=LONG_POLL):
                return True
        return False

    def _next_batch(self) -> Batch | None:
        source = self._source
        try:
            messages = source.queue.receive(
                source.batch, visibility=source.visibility, wait=LONG_POLL
            )
        except StoreError as error:
            log.warning("queue %s cannot be read: %s", source.name, error)
            self._stopping.wait(AFTER_TROUBLE)
            return None
        return Batch(source.name, source.fifo, messages) if messages else None

    def _invoke(self, batch: Batch) -> object:
        return self._source.function(sqs_event(batch))

    def _settle(self, batch: Batch, done: Future[object]) -> None:
        """Delete what was handled and leave the rest to its visibility."""
        try:
            if error := done.exception():
                name, at = self._source.function.name, place(error)
                log.error("%s failed: %s at %s", name, type(error).__name__, at)
                return
            failed = failed_ids(done.result(), batch.messages)
            handled = [message.receipt for message in batch.messages if message.id not in failed]
            if handled:
                self._source.queue.delete(handled)
        except StoreError as trouble:
            log.warning("queue %s: handled messages come again: %s", self._source.name, trouble)
        finally:
            self._slots.release()
