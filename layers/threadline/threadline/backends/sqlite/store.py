"""The item store in SQLite."""

import json
import sqlite3
import uuid
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Final

from threadline.backends.limits import check_changes, check_key, check_keys
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.writer import Begun
from threadline.core.errors import Conflict, StoreError
from threadline.core.json import Json
from threadline.core.ports import Change, Delete, Expect, Hindrance, Item, Key, Put

REMEMBERED: Final = 600.0
PURGE_AFTER: Final = 3600.0
PURGE_AT_ONCE: Final = 1000

COLUMNS: Final = "table_name, partition, sort, version, due_kind, due_at, expires_at, attributes"
_ALIVE: Final = "(expires_at IS NULL OR expires_at > :now)"
_THIS: Final = "table_name = ? AND partition = ? AND sort = ?"


def _plain(value: Mapping[str, Json]) -> dict[str, Json]:
    return dict(value)


_ENCODER: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain
)


def random_id() -> str:
    """Make a write id that nobody else makes."""
    return uuid.uuid4().hex


class SqliteStore:
    """An ItemStore in a `Database`.

    Attributes rest as readable JSON. Items that expired more than an hour ago are removed in the
    background.
    """

    def __init__(self, database: Database, *, write_ids: Callable[[], str] = random_id) -> None:
        self._database = database
        self._write_ids = write_ids
        database.tidy_with(self._purge)

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        check_keys(keys)
        now = self._database.clock.now()
        with self._database.reading() as connection:
            connection.execute("BEGIN")
            rows = [_read(connection, key) for key in keys]
            connection.execute("COMMIT")
        items = [item_of(row) if row else None for row in rows]
        return tuple(item if item and _alive(item.expires_at, now) else None for item in items)

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        check_key(Key(table, partition, prefix or "-"))
        wanted: dict[str, str | float | None] = {
            "table": table,
            "partition": partition,
            "first": prefix,
            "past": _past(prefix),
            "limit": max(limit, 0),
        }
        where = "table_name = :table AND partition = :partition AND sort >= :first"
        if wanted["past"] is not None:
            where += " AND sort < :past"
        return self._select(where, f"sort {'DESC' if descending else 'ASC'}", wanted)

    def write(self, changes: Sequence[Change]) -> None:
        self.write_once(changes, self._write_ids())

    def write_once(self, changes: Sequence[Change], write_id: str) -> None:
        """Write as `write` does, however often it is called with the same id."""
        if changes:
            self._begin(changes, write_id).result()

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        begun = [self._begin_or_refuse(changes) for changes in writes]
        return tuple(_hindrance(one) for one in begun)

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        where = "due_kind = :kind AND due_at <= :before"
        wanted: dict[str, str | float | None] = {
            "kind": kind,
            "before": before,
            "limit": max(limit, 0),
        }
        return self._select(where, "due_at, partition, sort", wanted)

    def _begin(self, changes: Sequence[Change], write_id: str) -> Begun[None]:
        check_changes(changes)
        steps = [_Step.of(change) for change in changes]
        return self._database.begin(partial(self._apply, steps, write_id))

    def _begin_or_refuse(self, changes: Sequence[Change]) -> Begun[None]:
        try:
            return self._begin(changes, self._write_ids())
        except (StoreError, ValueError) as refusal:
            refused = Future[None]()
            refused.set_exception(refusal)
            return refused

    def _select(
        self, where: str, order: str, wanted: Mapping[str, str | float | None]
    ) -> tuple[Item, ...]:
        sql = (
            f"SELECT {COLUMNS} FROM item WHERE {where} AND {_ALIVE}"  # noqa: S608
            f" ORDER BY {order} LIMIT :limit"
        )
        with self._database.reading() as connection:
            rows = connection.execute(sql, {**wanted, "now": self._database.clock.now()}).fetchall()
        return tuple(item_of(row) for row in rows)

    def _apply(
        self, steps: Sequence["_Step"], write_id: str, connection: sqlite3.Connection
    ) -> None:
        now = self._database.clock.now()
        stored = [_stored(connection, step.key) for step in steps]
        if _made_before(connection, steps, stored, write_id):
            return
        versions = [row.version if row and _alive(row.expires_at, now) else None for row in stored]
        failed = [
            step.key.sort
            for step, version in zip(steps, versions, strict=True)
            if not _holds(step.change.expect, version)
        ]
        if failed:
            raise Conflict(f"not as expected: {', '.join(failed)}", failed)
        for step, version in zip(steps, versions, strict=True):
            step.make(connection, (version or 0) + 1, write_id)
        if not any(isinstance(step.change, Put) for step in steps):
            connection.execute("INSERT INTO write_without_put VALUES (?, ?)", (write_id, now))

    def _purge(self, connection: sqlite3.Connection) -> None:
        now = self._database.clock.now()
        connection.execute(
            "DELETE FROM item WHERE rowid IN"
            " (SELECT rowid FROM item WHERE expires_at < ? ORDER BY expires_at LIMIT ?)",
            (now - PURGE_AFTER, PURGE_AT_ONCE),
        )
        connection.execute("DELETE FROM write_without_put WHERE at < ?", (now - REMEMBERED,))


@dataclass(frozen=True, slots=True)
class _Step:
    """A change made ready before its turn to be written: its key, and its attributes as JSON."""

    change: Change
    key: Key
    attributes: str

    @classmethod
    def of(cls, change: Change) -> "_Step":
        if isinstance(change, Put):
            return cls(change, change.item.key, _encode(change.item.attributes))
        return cls(change, change.key, "")

    def make(self, connection: sqlite3.Connection, version: int, write_id: str) -> None:
        key = (self.key.table, self.key.partition, self.key.sort)
        if isinstance(self.change, Put):
            item = self.change.item
            kind, at = item.due or (None, None)
            row = (*key, version, write_id, kind, at, item.expires_at, self.attributes)
            connection.execute("REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        elif isinstance(self.change, Delete):
            connection.execute(f"DELETE FROM item WHERE {_THIS}", key)  # noqa: S608


@dataclass(frozen=True, slots=True)
class _Stored:
    version: int
    write_id: str
    expires_at: float | None


def _hindrance(begun: Begun[None]) -> Hindrance:
    try:
        begun.result()
    except (StoreError, ValueError) as hindrance:
        return hindrance
    return None


def _stored(connection: sqlite3.Connection, key: Key) -> _Stored | None:
    sql = f"SELECT version, write_id, expires_at FROM item WHERE {_THIS}"  # noqa: S608
    row = connection.execute(sql, (key.table, key.partition, key.sort)).fetchone()
    return _Stored(*row) if row else None


def _made_before(
    connection: sqlite3.Connection,
    steps: Sequence[_Step],
    stored: Sequence[_Stored | None],
    write_id: str,
) -> bool:
    """Tell whether this very write was made already and its answer lost on the way."""
    puts = [row for step, row in zip(steps, stored, strict=True) if isinstance(step.change, Put)]
    if puts:
        return any(row is not None and row.write_id == write_id for row in puts)
    sql = "SELECT 1 FROM write_without_put WHERE write_id = ?"
    return connection.execute(sql, (write_id,)).fetchone() is not None


def _holds(expect: int | Expect, version: int | None) -> bool:
    match expect:
        case Expect.ANY:
            return True
        case Expect.ABSENT:
            return version is None
        case _:
            return version == expect


def _alive(expires_at: float | None, now: float) -> bool:
    return expires_at is None or expires_at > now


type _Row = tuple[str, str, str, int, str | None, float | None, float | None, str]


def _read(connection: sqlite3.Connection, key: Key) -> _Row | None:
    sql = f"SELECT {COLUMNS} FROM item WHERE {_THIS}"  # noqa: S608
    row: _Row | None = connection.execute(sql, (key.table, key.partition, key.sort)).fetchone()
    return row


def item_of(row: _Row) -> Item:
    """Read a row of `COLUMNS`."""
    table, partition, sort, version, due_kind, due_at, expires_at, attributes = row
    due = None if due_kind is None or due_at is None else (due_kind, due_at)
    return Item(Key(table, partition, sort), json.loads(attributes), version, due, expires_at)


def _encode(attributes: Mapping[str, Json]) -> str:
    return _ENCODER.encode(attributes)


def _past(prefix: str) -> str | None:
    """Give the least text that sorts after everything with this prefix, None if nothing does."""
    kept = prefix.rstrip("\U0010ffff")
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(0xE000 if following == 0xD800 else following)
