"""Tables read from end to end, for an operator."""

from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import COLUMNS, item_of
from threadline.core.ports import Item, Key


class SqliteScans:
    """Scans over the tables of a `SqliteStore`, in the order of their keys."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def scan(self, table: str, after: Key | None = None, limit: int = 1000) -> tuple[Item, ...]:
        sql = (
            f"SELECT {COLUMNS} FROM item"  # noqa: S608
            " WHERE table_name = ? AND (partition, sort) > (?, ?)"
            " ORDER BY partition, sort LIMIT ?"
        )
        start = ("", "") if after is None else (after.partition, after.sort)
        with self._database.reading() as connection:
            rows = connection.execute(sql, (table, *start, max(limit, 0))).fetchall()
        return tuple(item_of(row) for row in rows)
