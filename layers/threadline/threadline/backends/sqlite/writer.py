"""The one thread that writes: works that wait share a transaction, each all or nothing in it."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Final, Protocol

from threadline.core.errors import StoreError, StoreUnavailable

MOST_TOGETHER: Final = 100
IDLE_SECONDS: Final = 60.0

type Work[T] = Callable[[sqlite3.Connection], T]


class Writes(Protocol):
    """Does the works of a database one after the other, as `Writer` does."""

    def run[T](self, work: Work[T]) -> T:
        """Do the work in a transaction; one that raises StoreError or ValueError changes nothing.

        Raises what the work raised, and StoreUnavailable where the transaction did not land.
        """
        ...

    def begin[T](self, work: Work[T]) -> Future[T]:
        """Give what will come of the work, without waiting. Raises StoreUnavailable."""
        ...

    def stop(self) -> None:
        """Finish what waits, then close the connection."""
        ...


class Writer:
    """Runs works on its own connection; what `run` returned is committed.

    `tidy` is asked for works of housekeeping after every transaction, and once a minute when
    nothing comes.
    """

    def __init__(
        self, connection: sqlite3.Connection, tidy: Callable[[], Sequence[Work[None]]]
    ) -> None:
        self._connection = connection
        self._tidy = tidy
        self._waiting: SimpleQueue[_Attempt[Any] | None] = SimpleQueue()
        self._admission = threading.Lock()
        self._stopped = False
        self._thread = threading.Thread(target=self._write, name="sqlite-writer", daemon=True)
        self._thread.start()

    def run[T](self, work: Work[T]) -> T:
        return self.begin(work).result()

    def begin[T](self, work: Work[T]) -> Future[T]:
        attempt = _Attempt(work)
        with self._admission:
            if self._stopped:
                raise StoreUnavailable("the database is closed")
            self._waiting.put(attempt)
        return attempt.landed

    def stop(self) -> None:
        with self._admission:
            if not self._stopped:
                self._stopped = True
                self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        batch: list[_Attempt[Any] | None] = []
        try:
            while None not in batch:
                batch = self._next_batch()
                self._commit([attempt for attempt in batch if attempt])
                self._commit([_Attempt(work) for work in self._tidy()])
        finally:
            with self._admission:
                self._stopped = True
            for attempt in (*batch, *self._drained()):
                if attempt:
                    attempt.lose("the writer stopped")
            self._connection.close()

    def _next_batch(self) -> list["_Attempt[Any] | None"]:
        try:
            first = self._waiting.get(timeout=IDLE_SECONDS)
        except Empty:
            return []
        return [first, *self._drained(MOST_TOGETHER - 1)]

    def _drained(self, most: int = 1_000_000) -> list["_Attempt[Any] | None"]:
        drained: list[_Attempt[Any] | None] = []
        with suppress(Empty):
            while len(drained) < most:
                drained.append(self._waiting.get_nowait())
        return drained

    def _commit(self, batch: Sequence["_Attempt[Any]"]) -> None:
        if not batch:
            return
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for attempt in batch:
                attempt.make(self._connection)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            for attempt in batch:
                attempt.lose(str(error))
        else:
            for attempt in batch:
                attempt.settle()


class _Attempt[T]:
    """One work on its way: made inside the transaction, settled after its commit."""

    def __init__(self, work: Work[T]) -> None:
        self.landed: Future[T] = Future()
        self.settle: Callable[[], None] = partial(self.lose, "never made")
        self._work = work

    def make(self, connection: sqlite3.Connection) -> None:
        connection.execute("SAVEPOINT work")
        try:
            self.settle = partial(self.landed.set_result, self._work(connection))
        except (StoreError, ValueError, OverflowError) as refusal:
            connection.execute("ROLLBACK TO work")
            self.settle = partial(self.landed.set_exception, refusal)
        connection.execute("RELEASE work")

    def lose(self, why: str) -> None:
        if not self.landed.done():
            self.landed.set_exception(StoreUnavailable(f"the database did not write: {why}"))
