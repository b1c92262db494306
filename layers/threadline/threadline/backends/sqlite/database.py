"""One SQLite file: a connection for whoever writes, and one for every reader at work.

WAL: readers never wait, and a second process may read and write at the same time. What was
written survives `kill -9` of the process; with `synchronous="FULL"` also a power cut.
https://www.sqlite.org/wal.html
"""

import os
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from threadline.backends.durable import make_folder
from threadline.backends.sqlite import schema
from threadline.backends.sqlite.arrivals import Arrivals
from threadline.backends.sqlite.writer import Begun, Work, Writer, Writes
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Clock

TIDY_EVERY: Final = 300.0
OPENING_TRIES: Final = 50

type Synchronous = Literal["FULL", "NORMAL"]


class Database:
    """The file that a process's item store and queues share, and with it their transactions.

    Made with mode 600 where it does not exist. `busy` is how many seconds a write waits for
    another process. Raises StoreUnavailable where the file cannot be opened.
    """

    def __init__(
        self, path: Path, clock: Clock, *, synchronous: Synchronous = "FULL", busy: float = 10.0
    ) -> None:
        self.clock = clock
        self._path = path
        self._busy = busy
        self._arrivals: defaultdict[str, Arrivals] = defaultdict(Arrivals)
        self._tidying: list[Work[None]] = []
        self._tidied = clock.now()
        self._lock = threading.Lock()
        self._closed = False
        self._idle: list[sqlite3.Connection] = []
        self._writer = self._writes(self._open(synchronous))

    def write[T](self, work: Work[T]) -> T:
        """Do the work in a transaction, perhaps shared; see `Writer.run`."""
        return self._writer.run(work)

    def begin[T](self, work: Work[T]) -> Begun[T]:
        """Give what will come of a work that is to be written; see `Writer.begin`."""
        return self._writer.begin(work)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees everything committed. Raises StoreUnavailable."""
        try:
            connection = self._lend()
            try:
                yield connection
            finally:
                self._take_back(connection)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the database cannot be read: {error}") from error

    def arrivals(self, queue: str) -> Arrivals:
        """Give what this process's senders ring and its receivers wait for."""
        with self._lock:
            return self._arrivals[queue]

    def tidy_with(self, work: Work[None]) -> None:
        """Do this work every few minutes, between writes."""
        self._tidying.append(work)

    def scrub(self) -> None:
        """Write the file anew, so that no byte of what was deleted is left in it or its journal.

        Others may go on; each waits a moment. Raises StoreUnavailable where they keep it busy.
        https://www.sqlite.org/lang_vacuum.html
        """
        try:
            with closing(self._connect()) as connection:
                connection.execute("VACUUM")
                for _ in range(OPENING_TRIES):
                    asked = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    if not asked.fetchone()[0]:
                        return
                    time.sleep(0.05)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the database cannot be written anew: {error}") from error
        raise StoreUnavailable("the database is busy: its journal cannot be emptied")

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._writer.stop()
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _due_for_tidying(self) -> Sequence[Work[None]]:
        now = self.clock.now()
        if now - self._tidied < TIDY_EVERY:
            return ()
        self._tidied = now
        return tuple(self._tidying)

    def _writes(self, connection: sqlite3.Connection) -> Writes:
        return Writer(connection, self._due_for_tidying)

    def _lend(self) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise StoreUnavailable("the database is closed")
            if self._idle:
                return self._idle.pop()
        connection = self._connect()
        connection.execute("PRAGMA query_only = 1")
        return connection

    def _take_back(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(
            self._path, timeout=self._busy, isolation_level=None, check_same_thread=False
        )

    def _open(self, synchronous: Synchronous) -> sqlite3.Connection:
        try:
            make_folder(self._path.parent)
            # Only a file made here is closed again: closing one that is in use drops its locks.
            with suppress(FileExistsError):
                os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            connection = self._connect()
            self._prepare(connection, synchronous)
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(f"{self._path} cannot be opened: {error}") from error
        return connection

    def _prepare(self, connection: sqlite3.Connection, synchronous: Synchronous) -> None:
        try:
            _switch_to_wal(connection)
            connection.execute(f"PRAGMA synchronous = {synchronous}")
            connection.execute(f"PRAGMA journal_size_limit = {64 * 1024 * 1024}")
            schema.lay(connection)
        except BaseException:
            connection.close()
            raise


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """Switch the file once for all; SQLite does not wait for another process that does the same."""
    for tries_left in reversed(range(OPENING_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if not tries_left:
                raise
            time.sleep(0.05)
        else:
            return
