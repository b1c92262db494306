from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.unit.backends.embedded import item_store, key, mail, mailbox
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.ports import Expect, Item, Put


class Steps:
    """Counts what SQLite's own machine does, in every connection of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._count = 0

    def _step(self) -> int:
        self._count += 1
        return 0

    def of(self, work: Callable[[], object]) -> int:
        """Count the steps of a work."""
        with self._database.reading() as reader:
            reader.set_progress_handler(self._step, 1)
        self._database.write(lambda writer: writer.set_progress_handler(self._step, 1))
        before = self._count
        work()
        return self._count - before


def fill(queue: SqliteQueue, groups: int, each: int) -> None:
    """Send to many groups, in turn."""
    for number in range(each):
        queue.send([mail(f"{number}", group=f"g{group}") for group in range(groups)])


def receive_and_delete(queue: SqliteQueue) -> None:
    """Handle one message."""
    (message,) = queue.receive(1, visibility=60)
    queue.delete([message.receipt])


def test_a_receive_costs_the_same_in_a_long_queue(tmp_path: Path, clock: VirtualClock) -> None:
    """Receiving and deleting among 10,000 messages takes the steps it takes among a hundred."""
    steps = []
    for groups, each in ((10, 10), (1000, 10)):
        with Database(tmp_path / f"{groups}.db", clock, synchronous="NORMAL") as database:
            queue = mailbox(database)
            fill(queue, groups, each)
            queue.receive(10, visibility=60)
            steps.append(Steps(database).of(partial(receive_and_delete, queue)))
    assert 0 < steps[1] <= steps[0] * 1.2


def test_a_chatty_group_costs_the_same(tmp_path: Path, clock: VirtualClock) -> None:
    """Receiving from a group of 3,000 messages takes the steps it takes from one of ten."""
    steps = []
    for each in (10, 3000):
        with Database(tmp_path / f"{each}.db", clock, synchronous="NORMAL") as database:
            queue = mailbox(database)
            queue.send([mail(f"{number}") for number in range(each)])
            steps.append(Steps(database).of(partial(receive_and_delete, queue)))
    assert 0 < steps[1] <= steps[0] * 1.2


def test_ten_thousand_messages_come_in_order(tmp_path: Path, clock: VirtualClock) -> None:
    """10,000 messages over 1,000 groups all come, each group in order, none before its turn."""
    with Database(tmp_path / "a.db", clock, synchronous="NORMAL") as database:
        queue = mailbox(database)
        fill(queue, groups=1000, each=10)
        came: dict[str, list[str]] = {}
        order: list[str] = []
        while got := queue.receive(10, visibility=60):
            for message in got:
                came.setdefault(message.group, []).append(message.body)
                order.append(message.group)
            queue.delete(message.receipt for message in got)
        assert queue.depth() == 0
    assert came == {f"g{group}": [f"{n}" for n in range(10)] for group in range(1000)}
    assert list(dict.fromkeys(order)) == [f"g{group}" for group in range(1000)]


def test_one_by_one_every_group_has_its_turn(database: Database) -> None:
    """A worker that takes one message at a time goes round the groups, long and short alike."""
    queue = mailbox(database)
    queue.send([mail(f"{number}", group="chatty") for number in range(100)])
    fill(queue, groups=5, each=2)
    order = []
    for _ in range(12):
        (message,) = queue.receive(1, visibility=60)
        order.append(message.group)
        queue.delete([message.receipt])
    groups = ["chatty", *(f"g{group}" for group in range(5))]
    assert order == groups * 2


def test_a_prefix_costs_what_it_finds(database: Database) -> None:
    """A query by prefix does not read the rest of its partition, nor `due` what is not due."""
    store = item_store(database)
    steps = Steps(database)

    def read() -> None:
        assert len(store.query("conversations", "p", "b#")) == 1
        assert len(store.query("conversations", "p", "b#", descending=True)) == 1
        assert len(store.due("conversation", 5.0, 10)) == 1
        assert store.get([key("b#1"), key("x")])[0] is not None

    store.write([Put(Item(key("b#1"), {}, due=("conversation", 1.0)), Expect.ABSENT)])
    few = steps.of(read)
    for letter in "ac":
        for start in range(0, 1000, 100):
            store.write(
                [
                    Put(Item(key(f"{letter}#{n}"), {}, due=("conversation", 9.0)), Expect.ABSENT)
                    for n in range(start, start + 100)
                ]
            )
    assert few > 0
    assert steps.of(read) <= few * 1.2
