import pytest

from tests.contract.ports.backends import Ports
from tests.contract.ports.items import key, put, stored, there
from threadline.core.errors import Conflict
from threadline.core.ports import Change, Check, ItemStore


def test_independent_writes_are_all_made(store: ItemStore) -> None:
    """More writes than fit into one transaction are made together, each under its own version."""
    assert store.write_each([[put(f"item-{n}", n=n)] for n in range(120)]) == (None,) * 120
    assert store.write_each([[put(f"item-{n}", 1, n=-n)] for n in range(120)]) == (None,) * 120
    assert [stored(store, f"item-{n}").attributes["n"] for n in (0, 60, 119)] == [0, -60, -119]
    assert stored(store, "item-7").version == 2


def test_one_that_conflicts_costs_no_other(store: ItemStore) -> None:
    """A write whose expectation failed is told apart, in its place, and the others are made."""
    store.write([put("theirs")])
    writes: list[list[Change]] = [
        [put("a")],
        [put("theirs", 4)],
        [put("b"), put("c")],
        [put("d"), Check(key("theirs"), 9)],
    ]
    first, second, third, fourth = store.write_each(writes)
    assert (first, third) == (None, None)
    assert isinstance(second, Conflict)
    assert isinstance(fourth, Conflict)
    assert (second.failed, fourth.failed) == (("theirs",), ("theirs",))
    assert there(store, "a", "b", "c", "d") == [True, True, True, False]
    assert stored(store, "theirs").version == 1


def test_one_that_no_store_would_take_costs_no_other(store: ItemStore) -> None:
    """A write that is refused before any trip is told apart as well."""
    first, second = store.write_each([[put("a", text="x" * 500_000)], [put("b")]])
    assert isinstance(first, ValueError)
    assert second is None
    assert there(store, "a", "b") == [False, True]


def test_nothing_to_write_is_nothing(store: ItemStore) -> None:
    """No writes give no answers, and an empty one is made at once."""
    assert store.write_each([]) == ()
    assert store.write_each([[]]) == (None,)


def test_of_two_writers_of_one_item_one_holds(ports: Ports) -> None:
    """Two processes that write the same items by version: each item has one writer."""
    mine, theirs = ports.store, ports.elsewhere().store
    mine.write([put(f"lease-{n}", by="nobody") for n in range(20)])
    ours = mine.write_each([[put(f"lease-{n}", 1, by="us")] for n in range(0, 20, 2)])
    others = theirs.write_each([[put(f"lease-{n}", 1, by="them")] for n in range(20)])
    assert ours == (None,) * 10
    assert [isinstance(one, Conflict) for one in others] == [n % 2 == 0 for n in range(20)]
    holders = [stored(mine, f"lease-{n}").attributes["by"] for n in range(20)]
    assert holders == ["us", "them"] * 10


@pytest.mark.parametrize("number", [1, 2])
def test_the_same_item_twice_is_written_once(store: ItemStore, number: int) -> None:
    """Of writes of one item under the same version, only one holds."""
    store.write([put("a")])
    made = store.write_each([[put("a", 1, n=n)] for n in range(number)])
    assert made.count(None) == 1
    assert stored(store, "a").version == 2
