"""The database of a single thread that has the file to itself, as in virtual time.

There nobody waits for anybody: one connection reads and writes, locks the file for good, and keeps
its journal in memory.
"""

import sqlite3
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from threadline.backends.sqlite import schema
from threadline.backends.sqlite.database import Database, Synchronous
from threadline.backends.sqlite.writer import Work, Writes
from threadline.core.errors import StoreError, StoreUnavailable

REFUSALS: Final = (StoreError, ValueError, OverflowError)
"""What a work raises that is not to be done."""


class AloneDatabase(Database):
    """As `Database`, with one connection, which locks the file; a crash may leave that torn."""

    _only: sqlite3.Connection

    @property
    def changes(self) -> int:
        """Count the rows that were changed; while it stands still, nothing was written."""
        return self._only.total_changes

    def _prepare(self, connection: sqlite3.Connection, synchronous: Synchronous) -> None:
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            schema.lay(connection)
        except BaseException:
            connection.close()
            raise

    def _writes(self, connection: sqlite3.Connection) -> Writes:
        self._only = connection
        return DirectWriter(connection, self._due_for_tidying)

    def _lend(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreUnavailable("the database is closed")
        return self._only

    def _take_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


class DirectWriter:
    """Does each work at once, in a transaction of its own and in its caller's thread."""

    def __init__(
        self, connection: sqlite3.Connection, tidy: Callable[[], Sequence[Work[None]]]
    ) -> None:
        self._connection = connection
        self._tidy = tidy

    def run[T](self, work: Work[T]) -> T:
        answer = self._made(work)
        for housework in self._tidy():
            with suppress(*REFUSALS):
                self._made(housework)
        return answer

    def begin[T](self, work: Work[T]) -> Future[T]:
        landed: Future[T] = Future()
        try:
            landed.set_result(self.run(work))
        except REFUSALS as refusal:
            landed.set_exception(refusal)
        return landed

    def stop(self) -> None:
        self._connection.close()

    def _made[T](self, work: Work[T]) -> T:
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            try:
                answer = work(connection)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the database did not write: {error}") from error
        return answer
