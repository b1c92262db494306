from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.contract.ports.backends import Ports
from tests.contract.ports.items import key, put, stored, there
from threadline.core.errors import Conflict
from threadline.core.ports import Check, Expect, Item, ItemStore, Put

THREADS = 16


def at_once[T](work: Callable[[int], T]) -> list[T]:
    """Run the work in 16 threads, each with its number, and give what they returned."""
    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(work, range(THREADS)))


def increment(store: ItemStore) -> int:
    """Add one to the counter by reading it and writing what was expected, until it holds."""
    while True:
        found = stored(store, "counter")
        number = found.attributes["n"]
        assert isinstance(number, int)
        try:
            store.write([put("counter", found.version, n=number + 1)])
        except Conflict:
            continue
        return number + 1


def test_no_update_is_lost(store: ItemStore) -> None:
    """Sixteen threads that read and write one item by its version lose no update."""
    store.write([put("counter", n=0)])
    counted = at_once(lambda _: [increment(store) for _ in range(3)])
    assert sorted(n for several in counted for n in several) == list(range(1, THREADS * 3 + 1))
    found = stored(store, "counter")
    assert found.attributes == {"n": THREADS * 3}
    assert found.version == THREADS * 3 + 1


def test_one_of_many_makes_an_item(store: ItemStore) -> None:
    """Of sixteen that make the same item, one succeeds and the others conflict."""

    def make(number: int) -> bool:
        try:
            store.write([put("only", by=number), put(f"mark-{number}")])
        except Conflict:
            return False
        return True

    made = at_once(make)
    assert made.count(True) == 1
    assert stored(store, "only").attributes == {"by": made.index(True)}
    assert there(store, *(f"mark-{number}" for number in range(THREADS))) == made


def test_a_check_holds_until_the_write_is_done(store: ItemStore) -> None:
    """Two writes that each check what the other changes are never both made."""
    store.write([put("a", n=0), put("b", n=0)])

    def move(number: int) -> bool:
        mine, other = ("a", "b") if number % 2 else ("b", "a")
        try:
            store.write([put(mine, 1, n=1), Check(key(other), 1)])
        except Conflict:
            return False
        return True

    assert at_once(move).count(True) == 1
    assert stored(store, "a").version + stored(store, "b").version == 3


def test_neighbours_of_a_conflict_are_written(store: ItemStore) -> None:
    """A write that conflicts does no harm to those made at the same moment."""
    store.write([put("there")])

    def write(number: int) -> bool:
        try:
            store.write([put(f"new-{number}"), *([put("there")] if number % 2 else [])])
        except Conflict:
            return False
        return True

    assert at_once(write) == [number % 2 == 0 for number in range(THREADS)]
    found = there(store, *(f"new-{number}" for number in range(THREADS)))
    assert found == [number % 2 == 0 for number in range(THREADS)]


def test_another_process_sees_what_is_written(ports: Ports) -> None:
    """What one process wrote the other reads, and its version fences both."""
    other = ports.elsewhere().store
    ports.store.write([put("a", n=1)])
    other.write([put("a", 1, n=2)])
    assert stored(ports.store, "a").attributes == {"n": 2}
    with pytest.raises(Conflict):
        ports.store.write([put("a", 1, n=3)])
    assert stored(other, "a") == Item(key("a"), {"n": 2}, version=2)
    other.write([Put(Item(key("b"), {}), Expect.ABSENT)])
    assert there(ports.store, "b") == [True]
