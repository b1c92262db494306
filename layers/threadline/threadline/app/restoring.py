"""Put back what a table lost, from a copy of it that was restored beside it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final

from threadline.core.errors import Conflict
from threadline.core.ports import Expect, Item, ItemStore, Key, Put, Scans

PAGE: Final = 100


class Found(Enum):
    """How an item of the copy stands to the table's own."""

    MISSING = "missing"
    OTHER = "other"
    SAME = "same"
    OVER = "over"
    """It has expired, or went on: what waited was taken, what was to be posted is settled."""


@dataclass(frozen=True, slots=True)
class Restoring:
    """A table, the copy, and the time; `only` is what the partitions meant begin with."""

    copy: Scans
    store: ItemStore
    table: str
    now: float
    only: str = ""

    def count(self) -> dict[Found, int]:
        """Count how the copy's items stand. Raises StoreError."""
        counts = dict.fromkeys(Found, 0)
        for found, _, _ in self._compared():
            counts[found] += 1
        return counts

    def put_back(self, behind: Put, *, replace: bool) -> tuple[int, int]:
        """Put back what is missing, with `replace` also what is other; give how many, and not.

        The audit row `behind` which it happens is written first. What changes under our hands is
        left as it then is. Raises StoreError.
        """
        self.store.write([behind])
        done = left = 0
        back: set[Key] = set()
        wanted = {Found.MISSING, Found.OTHER} if replace else {Found.MISSING}
        for found, item, version in self._compared(back):
            if found not in wanted:
                continue
            back.add(item.key)
            try:
                self.store.write([Put(item, version or Expect.ABSENT)])
            except Conflict:
                left += 1
            else:
                done += 1
        return done, left

    def _compared(self, back: Collection[Key] = ()) -> Iterator[tuple[Found, Item, int]]:
        """Yield each item of the copy, how it stands, and the version that the table has.

        `back` are those that were put back meanwhile: they tell nothing of what waited for them.
        """
        for page in self._pages():
            there = self.store.get([item.key for item in page])
            nexts = tuple(dict.fromkeys(_after(item) for item in page))
            after = dict(zip(nexts, self.store.get(nexts), strict=True))
            for item, own in zip(page, there, strict=True):
                went_on = after[_after(item)] is not None and _after(item) not in back
                found = self._stands(item, own, went_on=went_on)
                yield found, item, own.version if own else 0

    def _stands(self, item: Item, own: Item | None, *, went_on: bool) -> Found:
        if item.expires_at is not None and item.expires_at <= self.now:
            return Found.OVER
        if own is None:
            return Found.OVER if went_on else Found.MISSING
        same = (own.attributes, own.due, own.expires_at) == (
            item.attributes, item.due, item.expires_at,
        )  # fmt: skip
        return Found.SAME if same else Found.OTHER

    def _pages(self) -> Iterator[list[Item]]:
        after: Key | None = None
        while page := self.copy.scan(self.table, after, PAGE):
            after = page[-1].key
            yield [item for item in page if item.key.partition.startswith(self.only)]
            if len(page) < PAGE:
                return


def _after(item: Item) -> Key:
    """Name what is there once an item went on, so that it is not missing; else the item itself.

    A message that waits is taken by its conversation; a part that is settled has its last entry.
    """
    key = item.key
    kind, _, rest = key.sort.partition("#")
    if (key.table, kind) == ("conversations", "wait"):
        return Key(key.table, key.partition, "conversation")
    if (key.table, kind) == ("outbox", "live") and rest.startswith("part#"):
        grown = "#edit" if item.attributes.get("action") == "edit" else ""
        return Key(key.table, key.partition, f"done#{rest.split('#', 2)[-1]}{grown}")
    return key
