"""What the simulation's installation is kept in, and a look inside that no process has."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self

from threadline import wiring
from threadline.backends.clock import VirtualClock

FOREVER = 1e9


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

    def may_give(self, queue: str) -> bool:  # noqa: ARG002 - asking costs nothing
        return True

    def is_due(self) -> bool:
        ever = self.ports.clock.now() + FOREVER
        return any(self.ports.store.due(kind, ever, 1) for kind in ("conversation", "outbox"))

    def close(self) -> None:
        self.local.close()

    def _queue(self, name: str) -> Any:
        return getattr(self.ports.queues, name)
