import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.ports import Outgoing
from threadline.local.function import Function, Handler
from threadline.local.worker import Source, Worker

SOON = 60


@pytest.fixture
def clock() -> VirtualClock:
    """Give time that stands still."""
    return VirtualClock()


@pytest.fixture
def database(tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    """Give an empty database."""
    with Database(tmp_path / "db", clock, synchronous="NORMAL") as opened:
        yield opened


@pytest.fixture
def mailbox(database: Database) -> SqliteQueue:
    """Give an empty FIFO queue."""
    return SqliteQueue(database, "mailbox", fifo=True)


@pytest.fixture
def outbox(database: Database) -> SqliteQueue:
    """Give an empty standard queue."""
    return SqliteQueue(database, "outbox", fifo=False)


class Record:
    """A handler that writes down the bodies it was called with, and does more if told."""

    def __init__(self, do: Callable[[list[str]], Any] = lambda _: None) -> None:
        self.batches: list[list[str]] = []
        self.counts: list[str] = []
        self._do = do
        self._changed = threading.Condition()

    def __call__(self, event: dict[str, Any], _: Any) -> Any:
        bodies = [record["body"] for record in event["Records"]]
        with self._changed:
            self.batches.append(bodies)
            self.counts += [r["attributes"]["ApproximateReceiveCount"] for r in event["Records"]]
            self._changed.notify_all()
        found = self._do(bodies)
        if isinstance(found, set):
            ids = [r["messageId"] for r in event["Records"] if r["body"] in found]
            return {"batchItemFailures": [{"itemIdentifier": one} for one in ids]}
        return found

    def until_called(self, times: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.batches) >= times, SOON)


def worker(
    queue: SqliteQueue, handler: Handler, *, fifo: bool, batch: int = 1, parallel: int = 4
) -> Worker:
    """Make a worker between a queue and a handler."""
    function = Function("recorded", handler, 30.0, VirtualClock(), lambda: "id")
    return Worker(
        Source(
            name="mailbox", queue=queue, fifo=fifo, function=function, batch=batch,
            parallel=parallel, visibility=60.0,
        )
    )  # fmt: skip


def mail(*names: str) -> list[Outgoing]:
    """Make mail whose group is the first letter of its name."""
    return [Outgoing(name, group=name[0], dedup=name) for name in names]


def until_empty(queue: SqliteQueue) -> None:
    """Wait until nothing is in the queue, for a minute at most."""
    for _ in range(6000):
        if not queue.depth():
            return
        threading.Event().wait(0.01)
    raise AssertionError("the queue does not become empty")


def stop(running: Worker) -> None:
    """Stop a worker and wait for it."""
    running.stop()
    running.join()


def test_groups_run_at_once_and_each_in_order(mailbox: SqliteQueue) -> None:
    """A group that takes long holds up no other, and none of its own messages overtakes."""
    others_done = threading.Event()

    def slow_a(bodies: list[str]) -> None:
        if bodies == ["a1"]:
            assert others_done.wait(SOON)
        if bodies == ["b3"]:
            others_done.set()

    record = Record(slow_a)
    mailbox.send(mail("a1", "a2", "b1", "a3", "b2", "b3"))
    running = worker(mailbox, record, fifo=True)
    running.start()
    record.until_called(6)
    until_empty(mailbox)
    stop(running)
    names = [body for batch in record.batches for body in batch]
    assert [name for name in names if name[0] == "a"] == ["a1", "a2", "a3"]
    assert [name for name in names if name[0] == "b"] == ["b1", "b2", "b3"]
    assert names.index("b3") < names.index("a2")


def test_only_what_can_be_handled_is_taken(mailbox: SqliteQueue) -> None:
    """With every slot busy a message stays in the queue, where it does not count as tried."""
    release = threading.Event()
    record = Record(lambda _: release.wait(SOON) and None)
    mailbox.send(mail("a1", "b1"))
    running = worker(mailbox, record, fifo=True, parallel=1)
    running.start()
    record.until_called(1)
    (waiting,) = mailbox.receive(10, visibility=0)
    assert (waiting.body, waiting.received) == ("b1", 1)
    release.set()
    stop(running)


def test_a_batch_is_one_call(outbox: SqliteQueue) -> None:
    """A source with a batch size hands over as many messages as are there, up to it."""
    record = Record()
    outbox.send([Outgoing(str(number)) for number in range(5)])
    running = worker(outbox, record, fifo=False, batch=3, parallel=1)
    running.start()
    record.until_called(2)
    until_empty(outbox)
    stop(running)
    assert sorted(len(batch) for batch in record.batches) == [2, 3]


def test_only_failed_messages_come_again(outbox: SqliteQueue, clock: VirtualClock) -> None:
    """Of a batch that failed in part the rest is deleted; the failed one waits its visibility."""
    failing = {"2"}
    record = Record(lambda bodies: failing & set(bodies))
    outbox.send([Outgoing(str(number)) for number in (1, 2, 3)])
    running = worker(outbox, record, fifo=False, batch=10, parallel=1)
    running.start()
    record.until_called(1)
    while outbox.depth() > 1:
        threading.Event().wait(0.01)
    failing.clear()
    clock.advance(60.0)
    record.until_called(2)
    until_empty(outbox)
    stop(running)
    assert record.batches == [["1", "2", "3"], ["2"]]
    assert record.counts == ["1", "1", "1", "2"]


def test_a_handler_that_raises_loses_nothing(
    mailbox: SqliteQueue, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    """After an exception the message comes again, and the log has its kind but not its text."""

    def fail_once(_: list[str]) -> None:
        if len(record.batches) == 1:
            raise ValueError("what the person wrote")

    record = Record(fail_once)
    mailbox.send(mail("a1"))
    running = worker(mailbox, record, fifo=True)
    running.start()
    record.until_called(1)
    while "ValueError" not in caplog.text:
        threading.Event().wait(0.01)
    clock.advance(60.0)
    record.until_called(2)
    until_empty(mailbox)
    stop(running)
    assert record.counts == ["1", "2"]
    assert "what the person wrote" not in caplog.text


def test_stopping_finishes_what_was_taken(mailbox: SqliteQueue) -> None:
    """What was taken when the worker stops is handled to its end; nothing stays in flight."""
    release = threading.Event()
    record = Record(lambda _: release.wait(SOON) and None)
    mailbox.send(mail("a1", "a2", "a3"))
    running = worker(mailbox, record, fifo=True)
    running.start()
    record.until_called(1)
    running.stop()
    release.set()
    running.join()
    handled = [body for batch in record.batches for body in batch]
    left = [one.body for one in mailbox.receive(10, visibility=60.0)]
    assert handled[:1] == ["a1"]
    assert handled + left == ["a1", "a2", "a3"]


def test_a_store_that_is_gone_is_waited_for(
    mailbox: SqliteQueue, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """A queue that cannot be read is said and asked again; the worker can still be stopped."""
    running = worker(mailbox, Record(), fifo=True)
    running.start()
    database.close()
    while "mailbox cannot be read" not in caplog.text:
        threading.Event().wait(0.01)
    stop(running)
