"""Who may write what: a store that knows the role at work and refuses a write outside it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType

from tests.passed import PassedStore
from threadline.core.ports import Change, Check, Put

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
class RoleStore(PassedStore):
    """An item store that notes every write by somebody who is not that item's writer."""

    offences: list[str] = field(default_factory=list)

    def seen(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if isinstance(change, Check):
                continue
            key = change.item.key if isinstance(change, Put) else change.key
            kind = key.sort.partition("#")[0]
            if ROLE.get() not in WRITERS.get((key.table, kind), set()):
                self.offences.append(f"{ROLE.get()} wrote {key.table} {kind}")
