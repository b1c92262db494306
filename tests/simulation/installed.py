"""What the simulation's installation is kept in, and a look inside that no process has."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, Self

from threadline import wiring
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.alone import AloneDatabase

FOREVER = 1e9
EVER = float("inf")
NOTHING = (0, EVER)


class Installed(Protocol):
    """Stores and queues. What is asked here passes no gate."""

    @property
    def ports(self) -> wiring.Ports:
        """The ports, past every gate."""
        ...

    def depth(self, queue: str) -> int:
        """Count a queue's messages, those in flight and those delayed too."""
        ...

    def ready_in(self, queue: str) -> float:
        """Give the seconds until a queue has a message to give, it having some."""
        ...

    def may_give(self, queue: str) -> bool:
        """Tell whether it is worth asking a queue for a message."""
        ...

    def is_due(self) -> bool:
        """Tell whether anything will be due, however late."""
        ...

    def close(self) -> None:
        """Let go of all of it."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """SQLite and files in a folder."""

    local: wiring.LocalPorts

    @classmethod
    def open(cls, folder: Path, clock: VirtualClock) -> Self:
        """Open them; what dies here are processes, not machines, so nothing is forced to disk."""
        return cls(wiring.local_ports(folder, clock, synchronous="OFF"))

    @property
    def ports(self) -> wiring.Ports:
        return self.local.ports

    def depth(self, queue: str) -> int:
        depth: int = self._queue(queue).depth()
        return depth

    def ready_in(self, queue: str) -> float:
        seconds: float = self._queue(queue)._ready_in()
        return seconds

    def may_give(self, queue: str) -> bool:  # noqa: ARG002 - asking costs little
        return True

    def is_due(self) -> bool:
        ever = self.ports.clock.now() + FOREVER
        return any(self.ports.store.due(kind, ever, 1) for kind in ("conversation", "outbox"))

    def close(self) -> None:
        self.local.close()

    def _queue(self, name: str) -> Any:
        return getattr(self.ports.queues, name)


@dataclass(frozen=True, slots=True)
class Alone(Embedded):
    """The same for a single thread, which is much cheaper.

    Queues are looked at all the time and change now and then: what was seen holds until a write.
    """

    database: AloneDatabase
    seen: dict[str, tuple[int, float]] = field(default_factory=dict)
    seen_at: list[int] = field(default_factory=list)

    @classmethod
    def open(cls, folder: Path, clock: VirtualClock) -> Self:
        local = wiring.local_ports(folder, clock, synchronous="OFF", opens=AloneDatabase)
        assert isinstance(local.database, AloneDatabase)
        return cls(local, local.database)

    def depth(self, queue: str) -> int:
        return self._look(queue)[0]

    def ready_in(self, queue: str) -> float:
        return self._look(queue)[1] - self.ports.clock.now()

    def may_give(self, queue: str) -> bool:
        return self.ready_in(queue) <= 0

    def _look(self, queue: str) -> tuple[int, float]:
        """Give how many messages a queue has, and when it has one to give."""
        if self.seen_at != [self.database.changes]:
            self.seen_at[:] = [self.database.changes]
            self.seen.clear()
            with self.database.reading() as connection:
                rows = connection.execute(
                    "SELECT queue, count(*), min(ready_at) FROM message GROUP BY queue"
                )
                self.seen.update({name: (count, ready or EVER) for name, count, ready in rows})
        return self.seen.get(queue, NOTHING)
