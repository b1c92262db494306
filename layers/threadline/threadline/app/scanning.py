"""A table read from end to end, page by page, for an operator."""

from collections.abc import Iterator
from typing import Final

from threadline.core.ports import Item, Key, Scans

PAGE: Final = 1000


def all_of(scans: Scans, table: str) -> Iterator[Item]:
    """Read a table from end to end."""
    after: Key | None = None
    while page := scans.scan(table, after, PAGE):
        yield from page
        if len(page) < PAGE:
            return
        after = page[-1].key
