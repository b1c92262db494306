"""A store that passes every call on and shows each write to whoever looks on."""

from collections.abc import Sequence
from dataclasses import dataclass

from threadline.core.ports import Change, Hindrance, Item, ItemStore, Key


@dataclass(slots=True)
class PassedStore:
    """Passes every call on; `seen` is shown the changes of a write before it is made."""

    store: ItemStore

    def seen(self, changes: Sequence[Change]) -> None:
        raise NotImplementedError

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
        self.seen(changes)
        self.store.write(changes)

    def write_once(self, changes: Sequence[Change], write_id: str) -> None:
        self.seen(changes)
        self.store.write_once(changes, write_id)  # type: ignore[attr-defined]

    def write_each(self, writes: Sequence[Sequence[Change]]) -> tuple[Hindrance, ...]:
        for changes in writes:
            self.seen(changes)
        return self.store.write_each(writes)

    def due(self, kind: str, before: float, limit: int) -> tuple[Item, ...]:
        return self.store.due(kind, before, limit)
