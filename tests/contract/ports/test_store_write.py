from dataclasses import replace

import pytest

from tests.contract.ports.items import LATER, key, put, stored, there
from threadline.core.errors import Conflict
from threadline.core.ports import Change, Check, Delete, Expect, Item, ItemStore, Key, Put


def test_a_written_item_is_read_back(store: ItemStore) -> None:
    """What was written is read back whole, at once."""
    store.write([put("a", text="hello", due=("conversation", 1.5), expires_at=LATER)])
    assert stored(store, "a") == Item(
        key("a"), {"text": "hello"}, version=1, due=("conversation", 1.5), expires_at=LATER
    )


def test_what_an_item_no_longer_has_is_gone(store: ItemStore) -> None:
    """A put replaces the whole item: attributes, due time and expiry."""
    store.write([put("a", text="hello", due=("conversation", 1.5), expires_at=LATER)])
    store.write([put("a", 1, other=1)])
    assert stored(store, "a") == Item(key("a"), {"other": 1}, version=2)
    assert store.due("conversation", LATER, 10) == ()


def test_versions_count_the_writes(store: ItemStore) -> None:
    """An item's version is 1 when it is made and grows by one with every write."""
    expected: list[int | Expect] = [Expect.ABSENT, 1, 2, Expect.ANY]
    for number, expect in enumerate(expected, start=1):
        store.write([put("a", expect)])
        assert stored(store, "a").version == number


def test_any_makes_an_absent_item(store: ItemStore) -> None:
    """A put that expects nothing makes the item where there is none, with version 1."""
    store.write([put("a", Expect.ANY)])
    assert stored(store, "a").version == 1


def test_the_version_inside_a_put_is_ignored(store: ItemStore) -> None:
    """Only the expectation counts, not the version that the item was read with."""
    change = put("a")
    store.write([replace(change, item=replace(change.item, version=41))])
    assert stored(store, "a").version == 1


def test_keys_differ_by_each_part(store: ItemStore) -> None:
    """Table, partition and sort key tell items apart."""
    keys = [
        key("a"),
        key("b"),
        key("a", partition="q"),
        key("a", table="deliveries"),
    ]
    store.write([Put(Item(one, {"n": n}), Expect.ABSENT) for n, one in enumerate(keys)])
    found = store.get(keys)
    assert [item.attributes["n"] if item else None for item in found] == [0, 1, 2, 3]


REFUSED: dict[str, Change] = {
    "put absent": put("there", Expect.ABSENT),
    "put other version": put("there", 2),
    "put version of absent": put("gone", 1),
    "delete absent": Delete(key("there"), Expect.ABSENT),
    "delete other version": Delete(key("there"), 2),
    "delete version of absent": Delete(key("gone"), 1),
    "check absent": Check(key("there"), Expect.ABSENT),
    "check other version": Check(key("there"), 2),
    "check version of absent": Check(key("gone"), 1),
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED.keys())
def test_a_failed_expectation_writes_nothing(store: ItemStore, refused: Change) -> None:
    """One expectation that fails refuses the whole write and names the sort key at fault."""
    store.write([put("there", text="kept"), put("other", text="kept")])
    with pytest.raises(Conflict) as raised:
        store.write([put("new"), refused, Delete(key("other"), 1)])
    at_fault = refused.item.key.sort if isinstance(refused, Put) else refused.key.sort
    assert raised.value.failed == (at_fault,)
    assert there(store, "new", "gone", "there", "other") == [False, False, True, True]
    assert stored(store, "there") == Item(key("there"), {"text": "kept"}, version=1)


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED.keys())
def test_a_failed_expectation_alone(store: ItemStore, refused: Change) -> None:
    """A write of one change is refused like a larger one."""
    store.write([put("there", text="kept")])
    with pytest.raises(Conflict) as raised:
        store.write([refused])
    assert len(raised.value.failed) == 1
    assert stored(store, "there") == Item(key("there"), {"text": "kept"}, version=1)
    assert there(store, "gone") == [False]


def test_every_failed_expectation_is_named(store: ItemStore) -> None:
    """A conflict carries all sort keys at fault, in the order of the changes."""
    store.write([put("b"), put("c")])
    with pytest.raises(Conflict) as raised:
        store.write([put("c"), put("a"), put("b", 7)])
    assert raised.value.failed == ("c", "b")


ACCEPTED: dict[str, Change] = {
    "delete version": Delete(key("there"), 1),
    "delete any": Delete(key("there"), Expect.ANY),
    "delete any of absent": Delete(key("gone"), Expect.ANY),
    "delete absent of absent": Delete(key("gone"), Expect.ABSENT),
    "check version": Check(key("there"), 1),
    "check any": Check(key("there"), Expect.ANY),
    "check any of absent": Check(key("gone"), Expect.ANY),
    "check absent": Check(key("gone"), Expect.ABSENT),
}


@pytest.mark.parametrize("accepted", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_met_expectation_lets_the_write_through(store: ItemStore, accepted: Change) -> None:
    """A deletion removes its item, a check leaves it as it is, and the neighbours are written."""
    store.write([put("there")])
    store.write([put("new"), accepted])
    deleted = isinstance(accepted, Delete) and accepted.key.sort == "there"
    assert there(store, "new", "there", "gone") == [True, not deleted, False]
    if not deleted:
        assert stored(store, "there").version == 1


@pytest.mark.parametrize("accepted", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_a_met_expectation_alone(store: ItemStore, accepted: Change) -> None:
    """A write of one change goes through like a larger one."""
    store.write([put("there")])
    store.write([accepted])
    deleted = isinstance(accepted, Delete) and accepted.key.sort == "there"
    assert there(store, "there", "gone") == [not deleted, False]


def test_a_deleted_item_begins_anew(store: ItemStore) -> None:
    """An item made again after its deletion has version 1 and nothing of the former."""
    store.write([put("a", old=1)])
    store.write([Delete(key("a"), 1)])
    store.write([put("a", new=1)])
    assert stored(store, "a") == Item(key("a"), {"new": 1}, version=1)


def test_a_write_spans_tables_and_partitions(store: ItemStore) -> None:
    """All or nothing holds across tables and partitions."""
    here, elsewhere = key("a"), Key("deliveries", "q", "a")
    store.write([Put(Item(here, {"n": 1}), Expect.ABSENT)])
    with pytest.raises(Conflict):
        store.write([Put(Item(at, {"n": 2}), Expect.ABSENT) for at in (elsewhere, here)])
    assert [found is not None for found in store.get([here, elsewhere])] == [True, False]


def test_a_write_of_nothing_is_done(store: ItemStore) -> None:
    """An empty write succeeds."""
    store.write([])


def test_a_hundred_changes_fit(store: ItemStore) -> None:
    """A write takes 100 changes, and writes all of them."""
    store.write([put(f"{n:03d}") for n in range(100)])
    assert len(store.query("conversations", "p")) == 100
