from collections.abc import Mapping
from types import MappingProxyType

import pytest

from tests.contract.ports.items import key, put, stored
from threadline.core.json import Json
from threadline.core.ports import Expect, Item, ItemStore, Put

VALUES: dict[str, Json] = {
    "none": None,
    "true": True,
    "false": False,
    "zero": 0,
    "one": 1,
    "negative": -17,
    "64 bits": 2**63 + 1,
    "38 digits": 12345678901234567890123456789012345678,
    "float": 0.1,
    "third": 1 / 3,
    "epoch": 1_750_000_000.123456,
    "tiny": 5.5e-100,
    "huge": 1.7976931348623157e100,
    "negative float": -2.5e-7,
    "empty text": "",
    "text": "Grüße, 你好 🎉",
    "control characters": "a\x00b\x01\n\t\x7f",
    "noncharacter": "\ufffe\uffff",
    "quotes": "'; DROP TABLE item; --\"\\",
    "empty list": [],
    "empty object": {},
    "list": [1, 2.5, "x", None, True, [], {}],
    "object": {"a": {"b": {"c": [1, {"d": False}]}}, "ä ö": 1, "a.b": 2, "#c": 3, ":d": 4},
    "long text": "x" * 100_000,
}

NAMES = (
    *("version", "write_id", "due", "due_at", "due_kind", "expires_at", "updated_at", "schema"),
    *("partition", "sort", "table", "pk", "sk", "key", "keys", "name", "status", "value", "type"),
    *("version_", "due_at__", "_version", "write_id_", "pk_", "size", "kind", "data", "item"),
)


def shape(value: Json) -> object:
    """Give a value with its types, so that True is not taken for 1; a whole float is an integer."""
    match value:
        case dict():
            return {name: shape(inner) for name, inner in value.items()}
        case list():
            return [shape(inner) for inner in value]
        case float() if value.is_integer():
            return (int, int(value))
        case _:
            return (type(value), value)


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES.keys())
def test_a_value_comes_back_as_it_was(store: ItemStore, value: Json) -> None:
    """Every JSON value is read back equal and of its type; a whole float may become an integer."""
    store.write([put("a", value=value, nested={"in": [value]})])
    found = stored(store, "a").attributes
    assert shape(found["value"]) == shape(value)
    assert shape(found["nested"]) == shape({"in": [value]})


@pytest.mark.parametrize("value", [1.0, 0.0, -0.0, 1e20, 123456789.0])
def test_a_whole_float_keeps_its_value(store: ItemStore, value: float) -> None:
    """A float without a fraction is read back equal."""
    store.write([put("a", value=value)])
    assert stored(store, "a").attributes == {"value": value}


def test_any_mapping_and_sequence_will_do(store: ItemStore) -> None:
    """Tuples and read-only mappings are written like lists and dicts."""
    attributes: Mapping[str, Json] = MappingProxyType(
        {"list": (1, (2,)), "object": MappingProxyType({"a": ()})}
    )
    store.write([Put(Item(key("a"), attributes), Expect.ABSENT)])
    assert stored(store, "a").attributes == {"list": [1, [2]], "object": {"a": []}}


def test_an_attribute_may_be_called_anything(store: ItemStore) -> None:
    """No name of an attribute collides with what the store itself keeps beside it."""
    attributes: dict[str, Json] = {name: f"of the caller: {name}" for name in NAMES}
    change = Item(key("a"), attributes, due=("conversation", 5.0), expires_at=99_999_999_999.0)
    store.write([Put(change, Expect.ABSENT)])
    found = stored(store, "a")
    assert found.attributes == attributes
    assert (found.version, found.due) == (1, ("conversation", 5.0))
    assert store.due("conversation", 6.0, 10) == (found,)


def test_an_item_without_attributes(store: ItemStore) -> None:
    """An item may be nothing but its key."""
    store.write([Put(Item(key("a"), {}), Expect.ABSENT)])
    assert stored(store, "a").attributes == {}


@pytest.mark.parametrize("part", ["a/b", "Ä 漢", "a\nb", "%_*", "#1", "~", "'\"", "a" * 300])
def test_a_key_may_hold_any_text(store: ItemStore, part: str) -> None:
    """Keys of any characters are kept apart and found again."""
    at = key(part, partition=part)
    store.write([Put(Item(at, {"n": 1}), Expect.ABSENT)])
    (found,) = store.get([at])
    assert found is not None
    assert found.key == at
    assert store.query("conversations", part, part) == (found,)
