import signal
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from threadline.backends.sqlite.writer import Work, Writer
from threadline.core.errors import Conflict, StoreUnavailable


class Notes:
    """A table of numbers, its writer, and a count of the transactions that were committed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute("CREATE TABLE note (number INTEGER UNIQUE ON CONFLICT FAIL)")
        self.commits = 0
        connection.set_trace_callback(self._count)
        self.tidying: list[Work[None]] = []
        self.writer = Writer(connection, lambda: self.tidying)

    def _count(self, statement: str) -> None:
        self.commits += statement == "COMMIT"

    def numbers(self) -> list[int]:
        """Read what is committed."""
        connection = sqlite3.connect(self.path)
        rows = connection.execute("SELECT number FROM note ORDER BY number").fetchall()
        connection.close()
        return [number for (number,) in rows]


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    """Give an empty table and its writer."""
    opened = Notes(tmp_path / "notes.db")
    yield opened
    opened.writer.stop()


def add(connection: sqlite3.Connection, *, number: int, error: Exception | None = None) -> int:
    """Add a number, and then perhaps refuse."""
    connection.execute("INSERT INTO note VALUES (?)", (number,))
    if error:
        raise error
    return number


class Held:
    """Keeps the writer busy until released, so that works gather behind it."""

    def __init__(self, notes: Notes, pool: ThreadPoolExecutor) -> None:
        self._busy = threading.Event()
        self._released = threading.Event()
        self._done = pool.submit(notes.writer.run, self._hold)
        assert self._busy.wait(10)

    def _hold(self, _: sqlite3.Connection) -> None:
        self._busy.set()
        self._released.wait(10)

    def release(self, notes: Notes, waiting: int) -> None:
        """Release once so many works wait."""
        while len(notes.writer._waiting) < waiting:
            threading.Event().wait(0.01)
        self._released.set()
        self._done.result(10)


def test_what_was_run_is_committed(notes: Notes) -> None:
    """When a work's answer is there, everybody can read what it wrote."""
    assert notes.writer.run(partial(add, number=7)) == 7
    assert notes.numbers() == [7]


def test_waiting_works_share_a_transaction(notes: Notes) -> None:
    """Works that wait while another is written are committed together."""
    with ThreadPoolExecutor(9) as pool:
        held = Held(notes, pool)
        works = [pool.submit(notes.writer.run, partial(add, number=n)) for n in range(8)]
        held.release(notes, waiting=8)
        assert [work.result(10) for work in works] == list(range(8))
    assert notes.numbers() == list(range(8))
    assert notes.commits == 2


@pytest.mark.parametrize("error", [Conflict("of the test"), ValueError("x"), OverflowError("x")])
def test_a_refused_work_changes_nothing_and_spoils_nobody(notes: Notes, error: Exception) -> None:
    """A work that refuses is undone alone; those of the same transaction are written."""
    with ThreadPoolExecutor(9) as pool:
        held = Held(notes, pool)
        works = [
            pool.submit(notes.writer.run, partial(add, number=n, error=error if n % 2 else None))
            for n in range(8)
        ]
        held.release(notes, waiting=8)
        failed = [type(work.exception(10)) for work in works[1::2]]
    assert failed == [type(error)] * 4
    assert notes.numbers() == [0, 2, 4, 6]
    assert notes.commits == 2


def test_a_failing_database_fails_all_that_shared(notes: Notes) -> None:
    """Where SQLite itself fails nothing of the transaction stays, and the next one works."""
    notes.writer.run(partial(add, number=1))
    with ThreadPoolExecutor(4) as pool:
        held = Held(notes, pool)
        works = [pool.submit(notes.writer.run, partial(add, number=n)) for n in (2, 1, 3)]
        held.release(notes, waiting=3)
        failed = [type(work.exception(10)) for work in works]
    assert failed == [StoreUnavailable] * 3
    assert notes.numbers() == [1]
    assert notes.writer.run(partial(add, number=4)) == 4


def test_stopping_finishes_what_waits(notes: Notes) -> None:
    """Works accepted before the stop are written, later ones refused."""
    with ThreadPoolExecutor(6) as pool:
        held = Held(notes, pool)
        works = [pool.submit(notes.writer.run, partial(add, number=n)) for n in range(4)]
        stopping: Future[None] = pool.submit(notes.writer.stop)
        held.release(notes, waiting=4)
        assert [work.result(10) for work in works] == list(range(4))
        stopping.result(10)
    with pytest.raises(StoreUnavailable, match="closed"):
        notes.writer.run(partial(add, number=9))
    notes.writer.stop()
    assert notes.numbers() == list(range(4))


def test_a_fault_of_ours_leaves_nobody_waiting(notes: Notes) -> None:
    """A work with a bug ends all writing: who wrote has it, all others a word."""
    with ThreadPoolExecutor(4) as pool:
        held = Held(notes, pool)
        bug = partial(add, number=2, error=KeyError("of the test"))
        works = [pool.submit(notes.writer.run, partial(add, number=1))]
        works.append(pool.submit(notes.writer.run, bug))
        held.release(notes, waiting=2)
        failed = {type(work.exception(10)) for work in works}
    assert failed == {KeyError, StoreUnavailable}
    with pytest.raises(StoreUnavailable):
        notes.writer.run(partial(add, number=3))
    assert notes.numbers() == []


def test_housekeeping_comes_between_writes(notes: Notes) -> None:
    """Tidying has transactions of its own and its failure hurts nobody."""

    def tidy(connection: sqlite3.Connection) -> None:
        add(connection, number=100)

    notes.tidying = [tidy]
    for number in (1, 2, 3):
        notes.writer.run(partial(add, number=number))
    assert notes.numbers() == [1, 2, 3, 100]


def test_a_fault_in_housekeeping_takes_nothing_back(notes: Notes) -> None:
    """What was committed before it is told as written to all but who met the fault."""

    def bug(_: sqlite3.Connection) -> None:
        raise KeyError("of the test")

    notes.tidying = [bug]
    begun = notes.writer.begin(partial(add, number=1))
    with pytest.raises(KeyError):
        notes.writer.run(partial(add, number=2))
    assert begun.result() == 1
    assert notes.numbers() == [1, 2]


def test_whoever_is_alone_writes_himself(notes: Notes) -> None:
    """No other thread is woken for a write that nobody else is in the way of."""
    assert notes.writer.run(lambda _: threading.get_ident()) == threading.get_ident()


def test_what_is_begun_is_written_with_the_next(notes: Notes) -> None:
    """A work whose result nobody asked for yet goes with somebody else's transaction."""
    begun = notes.writer.begin(partial(add, number=1))
    assert notes.writer.run(partial(add, number=2)) == 2
    assert notes.numbers() == [1, 2]
    assert begun.result() == 1
    assert notes.commits == 1


def test_who_is_interrupted_holds_up_nobody(notes: Notes) -> None:
    """A thread that leaves while it waits for its turn leaves the turn to the others."""
    with ThreadPoolExecutor(6) as pool:
        held = Held(notes, pool)

        def interrupt() -> None:
            while not notes.writer._waiting:
                threading.Event().wait(0.01)
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

        pool.submit(interrupt)
        with pytest.raises(KeyboardInterrupt):
            notes.writer.run(partial(add, number=1))
        works = [pool.submit(notes.writer.run, partial(add, number=n)) for n in (2, 3)]
        held.release(notes, waiting=3)
        assert [work.result(10) for work in works] == [2, 3]
    assert notes.numbers() == [1, 2, 3]


def test_many_who_write_at_once_are_all_written(notes: Notes) -> None:
    """Whoever hands on, and however often, no work is left behind or made twice."""
    with ThreadPoolExecutor(16) as pool:
        works = [pool.submit(notes.writer.run, partial(add, number=n)) for n in range(2000)]
        assert [work.result(30) for work in works] == list(range(2000))
    assert notes.numbers() == list(range(2000))
