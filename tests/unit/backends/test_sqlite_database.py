import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.unit.backends.embedded import another_process, item_store, key, mail, mailbox, put
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.core.errors import StoreError, StoreUnavailable
from threadline.core.ports import Delete, Expect, Item, Put


def pragma(database: Database, name: str) -> object:
    """Ask the writer's connection for a setting."""
    answer: object = database.write(lambda c: c.execute(f"PRAGMA {name}").fetchone()[0])
    return answer


def test_the_file_is_for_its_owner_only(tmp_path: Path, clock: VirtualClock) -> None:
    """Database, log and folder are made unreadable for others: they hold what people wrote."""
    with Database(tmp_path / "deep" / "er" / "threadline.db", clock) as database:
        item_store(database).write([put("a")])
        made = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert made == {
        "deep": 0o700,
        "er": 0o700,
        "threadline.db": 0o600,
        "threadline.db-wal": 0o600,
        "threadline.db-shm": 0o600,
    }


def test_writes_survive_a_power_cut_by_default(tmp_path: Path, clock: VirtualClock) -> None:
    """The log is synced with every commit unless NORMAL is asked for."""
    with Database(tmp_path / "a.db", clock) as database:
        assert (pragma(database, "synchronous"), pragma(database, "journal_mode")) == (2, "wal")
    with Database(tmp_path / "a.db", clock, synchronous="NORMAL") as database:
        assert (pragma(database, "synchronous"), pragma(database, "journal_mode")) == (1, "wal")


def test_everything_is_there_after_reopening(tmp_path: Path, clock: VirtualClock) -> None:
    """Items, messages, their tries and the ids seen outlive the process."""
    with Database(tmp_path / "a.db", clock) as database:
        item_store(database).write([put("a", n=1)])
        mailbox(database).send([mail("1"), mail("2")])
        mailbox(database).receive(1, visibility=10)
    with Database(tmp_path / "a.db", clock) as database:
        assert item_store(database).get([key("a")]) == (Item(key("a"), {"n": 1}, version=1),)
        queue = mailbox(database)
        queue.send([mail("1")])
        assert queue.receive(1, visibility=10) == ()
        clock.advance(11)
        assert [(m.body, m.received) for m in queue.receive(10, visibility=1)] == [
            ("1", 2),
            ("2", 1),
        ]
        assert queue.depth() == 2


def test_a_later_schema_is_refused(tmp_path: Path, clock: VirtualClock) -> None:
    """A file of a later Threadline is not touched, and the error says so."""
    Database(tmp_path / "a.db", clock).close()
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(StoreError, match="99"):
        Database(tmp_path / "a.db", clock)


@pytest.mark.parametrize("name", ["folder", "text", "text/inside"])
def test_what_is_no_database_is_said(tmp_path: Path, clock: VirtualClock, name: str) -> None:
    """A path that cannot be a database is named in the error."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "text").write_text("no database, but a long enough text to look into\n" * 100)
    with pytest.raises(StoreUnavailable, match=name):
        Database(tmp_path / name, clock)


def test_a_closed_database_says_so(tmp_path: Path, clock: VirtualClock) -> None:
    """After closing, reads and writes raise instead of hanging; closing twice is fine."""
    database = Database(tmp_path / "a.db", clock)
    store = item_store(database)
    database.close()
    database.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.write([put("a")])
    with pytest.raises(StoreUnavailable, match="closed"):
        store.get([key("a")])


def test_a_database_held_too_long_is_unavailable(tmp_path: Path, clock: VirtualClock) -> None:
    """A write that another process keeps from its turn raises; reads go on, and writes later."""
    with Database(tmp_path / "a.db", clock, busy=0.05) as database:
        store = item_store(database)
        store.write([put("a")])
        other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked"):
            store.write([put("b")])
        assert store.get([key("a"), key("b")])[1] is None
        other.execute("ROLLBACK")
        other.close()
        store.write([put("b")])


WRITER = """
import sys
from pathlib import Path
from tests.unit.backends.embedded import item_store, put
from threadline.backends.clock import SystemClock
from threadline.backends.sqlite.database import Database
name = sys.argv[2]
with Database(Path(sys.argv[1]), SystemClock()) as database:
    store = item_store(database)
    for number in range(50):
        store.write([put(f"{name}-{number}", n=number)])
"""


def test_processes_open_and_write_at_once(tmp_path: Path, clock: VirtualClock) -> None:
    """Several processes may open a new file at the same moment and all write to it."""
    path = tmp_path / "a.db"
    with ExitStack() as running:
        writers = [
            running.enter_context(another_process(WRITER, str(path), name)) for name in "abc"
        ]
    assert [writer.returncode for writer in writers] == [0, 0, 0]
    with Database(path, clock) as database:
        assert len(item_store(database).query("conversations", "p", limit=1000)) == 150


def test_threads_read_while_one_writes(database: Database) -> None:
    """Readers never wait for the writer, and see the last committed state."""
    store = item_store(database)
    store.write([put("a", n=1)])

    def within(connection: sqlite3.Connection) -> list[object]:
        connection.execute("UPDATE item SET attributes = '{}'")
        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(lambda _: store.get([key("a")]), range(8)))

    seen = database.write(within)
    assert seen == [(Item(key("a"), {"n": 1}, version=1),)] * 8


def rows(database: Database, table: str) -> int:
    """Count the rows of a table."""
    with database.reading() as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
    return count


def test_what_expired_long_ago_is_removed(database: Database, clock: VirtualClock) -> None:
    """Items an hour past their expiry, old dedup ids and old write ids leave the file."""
    store, queue = item_store(database), mailbox(database)
    lasting = Item(key("kept"), {}, expires_at=clock.now() + 99_999)
    store.write([Put(Item(key("gone"), {}, expires_at=clock.now() + 10), Expect.ABSENT)])
    store.write([Put(lasting, Expect.ABSENT)])
    store.write([Delete(key("never"), Expect.ABSENT)])
    queue.send([mail("1")])
    clock.advance(3700)
    store.write([put("new")])
    store.write([put("newer")])
    assert {name: rows(database, name) for name in ("item", "dedup", "write_without_put")} == {
        "item": 3,
        "dedup": 0,
        "write_without_put": 0,
    }


def test_messages_do_not_rest_forever(database: Database, clock: VirtualClock) -> None:
    """A message nobody took for 14 days is removed and its group goes on."""
    queue = mailbox(database)
    queue.send([mail("old")])
    clock.advance(7 * 86_400)
    queue.send([mail("new")])
    clock.advance(7 * 86_400 + 1)
    queue.send([mail("newest", group="other")])
    queue.send([mail("last", group="other")])
    assert queue.depth() == 3
    came = queue.receive(10, visibility=10)
    assert sorted(message.body for message in came) == ["last", "new", "newest"]
