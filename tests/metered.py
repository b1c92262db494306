"""What DynamoDB would bill for: a store that counts the units of every call that passes it.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-unit-calculations.html
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Final

from tests.passed import PassedStore
from threadline.backends.aws import rows, transaction
from threadline.backends.aws.dynamodb import DUE_TABLES
from threadline.core.ports import Change, Check, Item, Key, Put

READ_KB: Final = 4
WRITE_KB: Final = 1
WRITE_ID: Final = "0" * 32


@dataclass(slots=True)
class MeteredStore(PassedStore):
    """Passes every call on, and counts units as DynamoDB does for tables with an index of `due`."""

    reads: float = 0.0
    writes: int = 0
    _due: dict[Key, tuple[str, float]] = field(default_factory=dict)

    def get(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        found = self.store.get(keys)
        self.reads += sum(units([item] if item else [], READ_KB) for item in found)
        return found

    def query(
        self,
        table: str,
        partition: str,
        prefix: str = "",
        *,
        limit: int = 100,
        descending: bool = False,
    ) -> tuple[Item, ...]:
        found = self.store.query(table, partition, prefix, limit=limit, descending=descending)
        self.reads += units(found, READ_KB)
        return found

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        # An index is read eventually consistently, for half a unit a shard at least.
        self.reads += 0.5 * len(DUE_TABLES) * rows.SHARDS
        return self.store.due(kind, before, limit)

    def seen(self, changes: Sequence[Change]) -> None:
        needed = transaction.effective(changes)
        each = 2 if len(needed) > 1 else 1
        for change in needed:
            key = transaction.key_of(change)
            item = change.item if isinstance(change, Put) else None
            size = units([item] if item else [], WRITE_KB)
            self.writes += each * size
            if key.table in DUE_TABLES and not isinstance(change, Check):
                self.writes += size * self._moved(key, item)

    def _moved(self, key: Key, item: Item | None) -> int:
        """Count the writes to the index: none, one, or two where an entry moves."""
        before = self._due.pop(key, None)
        after = item.due if item else None
        if after:
            self._due[key] = after
        return 1 if before == after and after else (before is not None) + (after is not None)


def units(items: Iterable[Item], kilobytes: int) -> int:
    """Count the units that items of this much together are billed as; at least one."""
    size = sum(weight(rows.row(item, item.version or 1, WRITE_ID, 0.0)) for item in items)
    return max(1, ceil(size / (1024 * kilobytes)))


def weight(row: rows.Row) -> int:
    """Weigh a row in bytes: names and values, as DynamoDB does."""
    return sum(len(name.encode()) + _value(value) for name, value in row.items())


def _value(value: Any) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return ceil(len(content.strip("-").replace(".", "").lstrip("0")) / 2) + 1
        case "M":
            return 3 + sum(1 + len(name.encode()) + _value(one) for name, one in content.items())
        case "L":
            return 3 + sum(1 + _value(one) for one in content)
        case "B":
            return len(content)
        case _:
            return 1
