"""The backends that must pass this suite: a function each, that gives fresh and empty ports."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Protocol

from threadline.backends.clock import VirtualClock
from threadline.backends.files import FileBlobs, FileSecrets
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.backends.sqlite.scanning import SqliteScans
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.ports import Blobs, ItemStore, Queue, Scans, Secrets


class Ports(Protocol):
    """One backend's ports, fresh; a property may make its port when it is first asked for.

    Items may be written to the tables `conversations`, `outbox`, `deliveries`, `connections` and
    `settings`; the first two have due times.
    """

    @property
    def store(self) -> ItemStore: ...
    @property
    def scans(self) -> Scans: ...
    @property
    def fifo(self) -> Queue: ...
    @property
    def standard(self) -> Queue: ...
    @property
    def blobs(self) -> Blobs: ...
    @property
    def secrets(self) -> Secrets: ...

    def now(self) -> float:
        """Give the epoch seconds by which the ports reckon."""
        ...

    def advance(self, seconds: float) -> None:
        """Let time pass, in virtual time or by waiting."""
        ...

    def elsewhere(self) -> "Ports":
        """Give the same ports as another process sees them: same contents, nothing in memory."""
        ...


type Opens = Callable[[Path], AbstractContextManager[Ports]]


@dataclass(frozen=True)
class Embedded:
    """SQLite and files, in virtual time."""

    folder: Path
    clock: VirtualClock
    database: Database
    store: SqliteStore
    scans: SqliteScans
    fifo: SqliteQueue
    standard: SqliteQueue
    blobs: FileBlobs
    secrets: FileSecrets
    others: list[Database]

    def now(self) -> float:
        return self.clock.now()

    def advance(self, seconds: float) -> None:
        self.clock.advance(seconds)

    def elsewhere(self) -> "Embedded":
        other = open_embedded(self.folder, self.clock, f"e{len(self.others)}")
        self.others.append(other.database)
        return other


def open_embedded(folder: Path, clock: VirtualClock, writer: str) -> Embedded:
    """Open the embedded ports in a folder; `writer` begins the write ids of this opening."""
    database = Database(folder / "threadline.db", clock)
    numbers = count()
    return Embedded(
        folder=folder,
        clock=clock,
        database=database,
        store=SqliteStore(database, write_ids=lambda: f"{writer}-{next(numbers)}"),
        scans=SqliteScans(database),
        fifo=SqliteQueue(database, "mailbox", fifo=True),
        standard=SqliteQueue(database, "timers", fifo=False),
        blobs=FileBlobs(folder / "blobs"),
        secrets=FileSecrets(folder / "secrets.json", clock),
        others=[],
    )


@contextmanager
def embedded(folder: Path) -> Iterator[Ports]:
    """Open SQLite and files in an empty folder, in virtual time."""
    ports = open_embedded(folder, VirtualClock(), "w")
    try:
        yield ports
    finally:
        for database in (ports.database, *ports.others):
            database.close()
