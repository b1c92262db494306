import pytest

from tests.contract.ports.items import key, put, stored, there
from threadline.core.json import Json
from threadline.core.ports import Change, Check, Delete, Expect, Item, ItemStore, Key, Put


def made(at: Key) -> Put:
    """Put an item at a key."""
    return Put(Item(at, {"n": 1}), Expect.ABSENT)


def nested(depth: int) -> Json:
    """Give lists inside lists."""
    return [] if depth == 1 else [nested(depth - 1)]


TOO_MUCH: dict[str, list[Change]] = {
    "101 changes": [put(f"{n:03d}") for n in range(101)],
    "a key twice": [put("a"), Delete(key("a"), Expect.ANY)],
    "a key put and checked": [put("a"), Check(key("a"), Expect.ABSENT)],
    "no sort key": [made(key(""))],
    "no partition": [made(key("a", partition=""))],
    "long sort key": [made(key("a" * 1025))],
    "long partition": [made(key("a", partition="a" * 2049))],
    "long sort key in bytes": [made(key("ä" * 600))],
    "large item": [put("a", text="a" * 410_000)],
    "large item in bytes": [put("a", text="ä" * 205_000)],
    "large write": [put(f"{n}", text="a" * 390_000) for n in range(11)],
    "long integer": [put("a", n=10**38 + 1)],
    "large number": [put("a", n=1e126)],
    "small number": [put("a", n=1e-131)],
    "not a number": [put("a", n=float("nan"))],
    "infinity": [put("a", n=float("inf"))],
    "deep": [put("a", n=nested(40))],
    "lone surrogate": [put("a", text="\ud800")],
    "lone surrogate in a name": [put("a", n={"\udfff": 1})],
    "empty name": [Put(Item(key("a"), {"": 1}), Expect.ABSENT)],
    "version 0": [put("a", 0)],
    "due without kind": [put("a", due=("", 1.0))],
    "due never": [put("a", due=("conversation", float("inf")))],
    "expiry never": [put("a", expires_at=float("nan"))],
}


@pytest.mark.parametrize("changes", TOO_MUCH.values(), ids=TOO_MUCH.keys())
def test_what_no_store_takes_is_refused(store: ItemStore, changes: list[Change]) -> None:
    """A write beyond the limits raises ValueError, whatever the store, and writes nothing."""
    with pytest.raises(ValueError, match=r"."):
        store.write([*changes[:1], *changes[1:]])
    assert there(store, "a", "000") == [False, False]


FITS: dict[str, Put] = {
    "long sort key": made(key("a" * 1024)),
    "long partition": made(key("a", partition="a" * 2048)),
    "large item": put("a", text="a" * 400_000),
    "long integer": put("a", n=10**38 - 1),
    "large number": put("a", n=9.9e125),
    "small number": put("a", n=1e-130),
    "deep": put("a", n=nested(30)),
}


@pytest.mark.parametrize("change", FITS.values(), ids=FITS.keys())
def test_what_just_fits_is_kept(store: ItemStore, change: Put) -> None:
    """A write within the limits is taken and read back."""
    store.write([change])
    (found,) = store.get([change.item.key])
    assert found is not None
    assert found.attributes == change.item.attributes


def test_101_keys_are_refused(store: ItemStore) -> None:
    """A read asks for at most 100 items."""
    with pytest.raises(ValueError, match="100"):
        store.get([key(f"{n}") for n in range(101)])


def test_large_items_come_in_one_query(store: ItemStore) -> None:
    """A query gives everything asked for, also where it is several megabytes."""
    for number in range(6):
        store.write([put(f"{number}", text="a" * 390_000)])
    assert [item.key.sort for item in store.query("conversations", "p")] == list("012345")
    assert len(store.get([key(f"{number}") for number in range(6)])) == 6
    assert stored(store, "5").version == 1
