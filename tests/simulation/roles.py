"""Who may write what: a store that knows the role at work and refuses a write outside it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType

from threadline.core.ports import Change, Check, Hindrance, Item, ItemStore, Key, Put

ROLE: ContextVar[str] = ContextVar("role", default="nobody")

WRITERS = MappingProxyType(
    {
        ("conversations", "conversation"): {"dispatch"},
        ("conversations", "wait"): {"dispatch"},
        ("conversations", "run"): {"watch", "operator"},
        ("conversations", "alias"): {"dispatch", "watch", "deliver", "operator"},
        ("conversations", "claim"): {"dispatch"},
        ("conversations", "forgotten"): {"dispatch"},
        ("deliveries", "seen"): {"dispatch", "operator"},
        ("deliveries", "journal"): {"dispatch", "watch", "deliver", "sweep", "operator"},
        ("deliveries", "audit"): {"operator"},
        ("connections", "admitted"): {"dispatch", "operator"},
        ("connections", "code"): {"dispatch", "operator"},
        ("outbox", "live"): {"dispatch", "watch", "deliver", "operator"},
        ("outbox", "done"): {"watch", "deliver", "operator"},
    }
)
"""The roles that may write each kind of item; a part is written by whoever moves it.

The operator forgets people; of conversations and what waits in them dispatch stays the only writer.
"""


@contextmanager
def role(name: str) -> Iterator[None]:
    """Work under a role."""
    token = ROLE.set(name)
    try:
        yield
    finally:
        ROLE.reset(token)


@dataclass(slots=True)
class RoleStore:
    """An item store that notes every write by somebody who is not that item's writer."""

    store: ItemStore
    offences: list[str] = field(default_factory=list)

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self.store.get(keys)

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        return self.store.query(table, partition, prefix, limit=limit, descending=descending)

    def write(self, changes: Sequence[Change]) -> None:
        self._note(changes)
        self.store.write(changes)

    def write_once(self, changes: Sequence[Change], write_id: str) -> None:
        self._note(changes)
        self.store.write_once(changes, write_id)  # type: ignore[attr-defined]

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        for changes in writes:
            self._note(changes)
        return self.store.write_each(writes)

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        return self.store.due(kind, before, limit)

    def _note(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if isinstance(change, Check):
                continue
            key = change.item.key if isinstance(change, Put) else change.key
            kind = key.sort.partition("#")[0]
            if ROLE.get() not in WRITERS.get((key.table, kind), set()):
                self.offences.append(f"{ROLE.get()} wrote {key.table} {kind}")
