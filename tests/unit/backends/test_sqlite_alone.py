import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.unit.backends.embedded import item_store, key, mail, mailbox, put
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.alone import AloneDatabase
from threadline.core.errors import Conflict, StoreUnavailable


@pytest.fixture
def alone(tmp_path: Path, clock: VirtualClock) -> Iterator[AloneDatabase]:
    """Give an empty database with a table of numbers."""
    with AloneDatabase(tmp_path / "a.db", clock) as opened:
        opened.write(lambda c: c.execute("CREATE TABLE note (number INTEGER UNIQUE)").close())
        yield opened


def add(connection: sqlite3.Connection, *, number: int, error: Exception | None = None) -> None:
    """Add a number, and then perhaps refuse."""
    connection.execute("INSERT INTO note VALUES (?)", (number,))
    if error:
        raise error


def numbers(database: AloneDatabase) -> list[int]:
    """Read what is written."""
    with database.reading() as connection:
        return [number for (number,) in connection.execute("SELECT number FROM note")]


@pytest.mark.parametrize("error", [Conflict("of the test"), ValueError("x"), KeyError("a bug")])
def test_a_refused_work_changes_nothing(alone: AloneDatabase, error: Exception) -> None:
    """What a work raises comes to its caller, nothing of it stays, and the next one is done."""
    with pytest.raises(type(error)):
        alone.write(partial(add, number=1, error=error))
    alone.write(partial(add, number=2))
    assert numbers(alone) == [2]


def test_what_sqlite_refuses_is_a_store_that_fails(alone: AloneDatabase) -> None:
    """An error of SQLite's is told as one of the store, and the next work is done."""
    alone.write(partial(add, number=1))
    with pytest.raises(StoreUnavailable, match="did not write"):
        alone.write(partial(add, number=1))
    with pytest.raises(StoreUnavailable):
        alone.begin(partial(add, number=1)).result()
    alone.write(partial(add, number=2))
    assert numbers(alone) == [1, 2]


def test_housekeeping_comes_between_writes(alone: AloneDatabase, clock: VirtualClock) -> None:
    """Tidying has transactions of its own and its failure hurts nobody."""
    alone.tidy_with(partial(add, number=100))
    for number in (1, 2, 3):
        clock.advance(301)
        alone.write(partial(add, number=number))
    assert sorted(numbers(alone)) == [1, 2, 3, 100]


def test_changes_stand_still_while_nothing_is_written(alone: AloneDatabase) -> None:
    """Reading is no change; a write of any kind is."""
    queue, before = mailbox(alone), alone.changes
    assert queue.receive(1, visibility=1) == ()
    assert item_store(alone).get([key("a")]) == (None,)
    assert alone.changes == before
    queue.send([mail("1")])
    assert (sent := alone.changes) > before
    item_store(alone).write([put("a")])
    assert alone.changes > sent


def test_nobody_else_opens_the_file(tmp_path: Path, alone: AloneDatabase) -> None:
    """A second opening is refused, and a closed database is told as one."""
    with pytest.raises(StoreUnavailable, match="locked"):
        AloneDatabase(tmp_path / "a.db", alone.clock, busy=0.01)
    alone.close()
    with pytest.raises(StoreUnavailable):
        mailbox(alone).send([mail("1")])
    with pytest.raises(StoreUnavailable, match="closed"):
        mailbox(alone).depth()
