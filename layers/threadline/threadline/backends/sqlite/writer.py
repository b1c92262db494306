"""Writes by one at a time: works that wait share a transaction, each all or nothing in it.

Whoever finds nobody writing writes in his own thread, for himself and for all who wait, then hands
on: a thread for it alone would be woken, and wake others, for every write.
"""

import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, Protocol

from threadline.core.errors import StoreError, StoreUnavailable

MOST_TOGETHER: Final = 100
IDLE_SECONDS: Final = 60.0
STOPPED: Final = "the writer stopped"

type Work[T] = Callable[[sqlite3.Connection], T]


class Begun[T](Protocol):
    """What will come of a work."""

    def result(self) -> T:
        """See to it that it is written, and give what it returned or raise what it raised."""
        ...


class Writes(Protocol):
    """Does the works of a database one after the other, as `Writer` does."""

    def run[T](self, work: Work[T]) -> T:
        """Do the work in a transaction; one that raises StoreError or ValueError changes nothing.

        Raises what the work raised, and StoreUnavailable where the transaction did not land.
        """
        ...

    def begin[T](self, work: Work[T]) -> Begun[T]:
        """Take on a work, to be written once its result is asked for. Raises StoreUnavailable."""
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
        self._lock = threading.Lock()
        self._waiting: deque[_Attempt[Any]] = deque()
        self._led = False
        self._stopped = False
        self._end = threading.Event()
        threading.Thread(target=self._look_after, name="sqlite-tidy", daemon=True).start()

    def run[T](self, work: Work[T]) -> T:
        return self.begin(work).result()

    def begin[T](self, work: Work[T]) -> Begun[T]:
        attempt = _Attempt(work, self._see_through)
        with self._lock:
            if self._stopped:
                raise StoreUnavailable("the database is closed")
            self._waiting.append(attempt)
        return attempt

    def stop(self) -> None:
        last = _Attempt(_nothing, self._see_through)
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            self._waiting.append(last)
        with suppress(StoreUnavailable):
            last.result()
        self._end.set()
        self._connection.close()

    def _see_through(self, attempt: "_Attempt[Any]") -> None:
        """Wait until the attempt is settled; write where nobody else does, or has handed on."""
        while True:
            with self._lock:
                if attempt.settled:
                    return
                leads = attempt.heir or not self._led
                self._led, attempt.heir = True, False
                bell = None if leads else attempt.waits()
            if bell is None:
                self._lead()
                continue
            try:
                bell.acquire()
            except BaseException:
                self._leave(attempt)
                raise

    def _lead(self) -> None:
        """Write what waits in one transaction, then hand on; a fault of ours ends all writing.

        Raises that fault, whoever's work it was in; all others are told that nothing is written.
        """
        batch = self._next_batch()
        try:
            self._commit(batch)
            self._commit([_Attempt(work, self._see_through) for work in self._tidy()])
        except BaseException:
            self._break_off(batch)
            raise
        with self._lock:
            for attempt in batch:
                attempt.settle()
            self._hand_on()

    def _next_batch(self) -> "list[_Attempt[Any]]":
        with self._lock:
            number = min(len(self._waiting), MOST_TOGETHER)
            return [self._waiting.popleft() for _ in range(number)]

    def _hand_on(self) -> None:
        """Let somebody who waits write next. The lock is held."""
        heir = next((one for one in self._waiting if one.bell), None)
        self._led = heir is not None
        if heir is not None:
            heir.heir = True
            heir.ring()

    def _leave(self, attempt: "_Attempt[Any]") -> None:
        """Wait no longer; somebody else writes what is begun."""
        with self._lock:
            attempt.bell = None
            if attempt.heir:
                attempt.heir = False
                self._hand_on()

    def _break_off(self, batch: "Sequence[_Attempt[Any]]") -> None:
        with self._lock:
            self._stopped, self._led = True, False
            for attempt in batch:
                attempt.settle()
            for attempt in self._waiting:
                attempt.lose(STOPPED)
            self._waiting.clear()
        self._end.set()
        self._connection.close()

    def _look_after(self) -> None:
        """Write nothing once a minute: housekeeping comes behind it where it is due."""
        while not self._end.wait(IDLE_SECONDS):
            with suppress(StoreUnavailable):
                self.run(_nothing)

    def _commit(self, batch: "Sequence[_Attempt[Any]]") -> None:
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
            _lose_later(batch, str(error))
        except BaseException:
            _lose_later(batch, STOPPED)
            raise


def _lose_later(batch: "Sequence[_Attempt[Any]]", why: str) -> None:
    for attempt in batch:
        attempt.settle = partial(attempt.lose, why)


def _nothing(_: sqlite3.Connection) -> None:
    """Change nothing."""


class _Attempt[T]:
    """One work on its way: made inside the transaction, settled after its commit."""

    def __init__(self, work: Work[T], see_through: "Callable[[_Attempt[Any]], None]") -> None:
        self.settle: Callable[[], None] = partial(self.lose, "never made")
        self.settled = False
        self.heir = False
        self.bell: threading.Lock | None = None
        self._work = work
        self._see_through = see_through
        self._outcome: Callable[[], T]

    def result(self) -> T:
        self._see_through(self)
        return self._outcome()

    def waits(self) -> threading.Lock:
        """Give what rings when it is settled, or when its waiter is to write."""
        self.bell = threading.Lock()
        self.bell.acquire()
        return self.bell

    def ring(self) -> None:
        """Let who waits look again."""
        if self.bell is not None:
            self.bell.release()
            self.bell = None

    def make(self, connection: sqlite3.Connection) -> None:
        connection.execute("SAVEPOINT work")
        try:
            made = self._work(connection)
            self.settle = partial(self._land, lambda: made)
        except (StoreError, ValueError, OverflowError) as refusal:
            connection.execute("ROLLBACK TO work")
            self.settle = partial(self._land, partial(_raise, refusal))
        connection.execute("RELEASE work")

    def lose(self, why: str) -> None:
        lost = StoreUnavailable(f"the database did not write: {why}")
        self._land(partial(_raise, lost))

    def _land(self, outcome: Callable[[], T]) -> None:
        self._outcome, self.settled = outcome, True
        self.ring()


def _raise(error: Exception) -> Any:
    raise error
