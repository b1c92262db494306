"""Short ways to write and read the items of the store tests."""

from threadline.core.json import Json
from threadline.core.ports import Expect, Item, ItemStore, Key, Put

LATER = 99_999_999_999.0


def key(sort: str, partition: str = "p", table: str = "conversations") -> Key:
    """Give a key in the partition that most tests use."""
    return Key(table, partition, sort)


def put(
    sort: str,
    expect: int | Expect = Expect.ABSENT,
    *,
    due: tuple[str, float] | None = None,
    expires_at: float | None = None,
    **attributes: Json,
) -> Put:
    """Put an item of that partition, with some attributes."""
    item = Item(key(sort), attributes or {"text": sort}, due=due, expires_at=expires_at)
    return Put(item, expect)


def stored(store: ItemStore, sort: str) -> Item:
    """Read an item of that partition that must be there."""
    (found,) = store.get([key(sort)])
    assert found is not None, f"{sort} is absent"
    return found


def there(store: ItemStore, *sorts: str) -> list[bool]:
    """Tell of each item of that partition whether it is there."""
    return [found is not None for found in store.get([key(sort) for sort in sorts])]
