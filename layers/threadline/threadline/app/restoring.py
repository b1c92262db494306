"""Put back what a table lost, from a copy of it that was restored beside it."""

from collections.abc import Iterator
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
    """It has expired meanwhile, and nobody would see it."""


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

    def put_back(self, *, replace: bool) -> tuple[int, int]:
        """Put back what is missing, with `replace` also what is other; give how many, and not.

        What changes under our hands is left as it then is. Raises StoreError.
        """
        done = left = 0
        wanted = {Found.MISSING, Found.OTHER} if replace else {Found.MISSING}
        for found, item, version in self._compared():
            if found not in wanted:
                continue
            try:
                self.store.write([Put(item, version or Expect.ABSENT)])
            except Conflict:
                left += 1
            else:
                done += 1
        return done, left

    def _compared(self) -> Iterator[tuple[Found, Item, int]]:
        """Yield each item of the copy, how it stands, and the version that the table has."""
        for page in self._pages():
            there = self.store.get([item.key for item in page])
            for item, own in zip(page, there, strict=True):
                yield self._stands(item, own), item, own.version if own else 0

    def _stands(self, item: Item, own: Item | None) -> Found:
        if item.expires_at is not None and item.expires_at <= self.now:
            return Found.OVER
        if own is None:
            return Found.MISSING
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
