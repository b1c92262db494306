import pytest

from tests.contract.ports.items import LATER, key, put, stored
from threadline.core.ports import Delete, Expect, Item, ItemStore, Key, Put


def sorts(items: tuple[Item, ...]) -> list[str]:
    """Give the sort keys of items."""
    return [item.key.sort for item in items]


def test_items_come_in_the_order_asked(store: ItemStore) -> None:
    """A read answers key by key, None for what is absent, a key asked twice twice."""
    store.write([put("a"), put("b")])
    found = store.get([key("b"), key("x"), key("a"), key("b")])
    assert [item.key.sort if item else None for item in found] == ["b", None, "a", "b"]


def test_a_hundred_items_in_one_read(store: ItemStore) -> None:
    """A read takes 100 keys, over tables and partitions."""
    keys = [
        Key(table, f"p{n % 7}", f"{n}") for table in ("deliveries", "settings") for n in range(50)
    ]
    store.write([Put(Item(one, {"n": 1}), Expect.ABSENT) for one in keys])
    assert [item.key if item else None for item in store.get(keys)] == keys


def test_nothing_is_asked(store: ItemStore) -> None:
    """A read of no key answers nothing."""
    assert store.get([]) == ()


def test_a_query_is_sorted(store: ItemStore) -> None:
    """Items of a partition come by sort key, upwards or downwards."""
    store.write([put(sort) for sort in ("b", "a#10", "a#9", "c")])
    assert sorts(store.query("conversations", "p")) == ["a#10", "a#9", "b", "c"]
    assert sorts(store.query("conversations", "p", descending=True)) == ["c", "b", "a#9", "a#10"]


def test_a_query_sorts_by_code_point(store: ItemStore) -> None:
    """Sort keys are ordered by their UTF-8 bytes, in no language's own order."""
    ordered = ["A", "B", "Z", "a", "z", "ä", "ÿ", "α", "漢", "\ufffd", "🎉"]
    store.write([put(sort) for sort in reversed(ordered)])
    assert sorts(store.query("conversations", "p")) == ordered


def test_a_prefix_narrows(store: ItemStore) -> None:
    """Only items whose sort key starts with the prefix come, the prefix itself among them."""
    store.write([put(sort) for sort in ("wait", "wait#1", "wait#2", "wait$", "wai", "wait#", "x")])
    assert sorts(store.query("conversations", "p", "wait#")) == ["wait#", "wait#1", "wait#2"]
    assert sorts(store.query("conversations", "p", "wait#", descending=True)) == [
        "wait#2",
        "wait#1",
        "wait#",
    ]
    assert store.query("conversations", "p", "wait#3") == ()


@pytest.mark.parametrize(
    "prefix", ["%", "_", "*", "[a", "ä", "\U0010ffff", "a\U0010ffff", "\ud7ff"]
)
def test_a_prefix_is_taken_literally(store: ItemStore, prefix: str) -> None:
    """No character of a prefix has a meaning of its own."""
    store.write([put(f"{prefix}1"), put(prefix), put("b1"), put("a"), put("ab")])
    assert sorts(store.query("conversations", "p", prefix)) == [prefix, f"{prefix}1"]


def test_a_limit_cuts_from_the_asked_end(store: ItemStore) -> None:
    """A limit keeps the first items in the direction asked."""
    store.write([put(f"{n}") for n in range(5)])
    assert sorts(store.query("conversations", "p", limit=2)) == ["0", "1"]
    assert sorts(store.query("conversations", "p", limit=2, descending=True)) == ["4", "3"]
    assert store.query("conversations", "p", limit=0) == ()


def test_a_query_stays_in_its_partition(store: ItemStore) -> None:
    """Items of other partitions and tables do not come."""
    for at in (key("a"), key("b", partition="p2"), key("c", table="deliveries")):
        store.write([Put(Item(at, {"n": 1}), Expect.ABSENT)])
    assert sorts(store.query("conversations", "p")) == ["a"]


def test_due_items_come_oldest_first(store: ItemStore) -> None:
    """Items of the kind come by due time, those due exactly then too, later ones not."""
    times = {"b": 20.5, "a": 30.0, "c": 10.0, "d": 40.0, "e": 30.25}
    for sort, at in times.items():
        item = Item(key(sort, partition=f"p{sort}"), {"n": 1}, due=("conversation", at))
        store.write([Put(item, Expect.ABSENT)])
    assert sorts(store.due("conversation", 30.0, 10)) == ["c", "b", "a"]
    assert sorts(store.due("conversation", 30.25, 2)) == ["c", "b"]
    assert store.due("conversation", 9.999, 10) == ()
    assert store.due("conversation", LATER, 0) == ()


def test_due_items_are_whole(store: ItemStore) -> None:
    """A due item comes as it would be read."""
    store.write([put("a", text="x", due=("conversation", 10.0), expires_at=LATER)])
    assert store.due("conversation", 11.0, 10) == (stored(store, "a"),)


def test_kinds_do_not_mix(store: ItemStore) -> None:
    """Only items of the kind asked come, from whichever table."""
    store.write([put("a", due=("conversation", 10.0)), put("b", due=("part", 10.0)), put("c")])
    other = Item(key("d", table="outbox"), {"n": 1}, due=("part", 11.0))
    store.write([Put(other, Expect.ABSENT)])
    assert sorts(store.due("conversation", 11.0, 10)) == ["a"]
    assert sorts(store.due("part", 11.0, 10)) == ["b", "d"]
    assert store.due("par", 11.0, 10) == ()


def test_a_moved_or_deleted_item_is_not_due(store: ItemStore) -> None:
    """The due time is that of the last write, and goes with its item."""
    store.write([put(sort, due=("conversation", 10.0)) for sort in ("a", "b", "c")])
    store.write([put("a", 1, due=("conversation", 99.0)), Delete(key("b"), 1), put("c", 1)])
    assert store.due("conversation", 11.0, 10) == ()
    assert sorts(store.due("conversation", 99.0, 10)) == ["a"]
