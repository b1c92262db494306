from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadline.backends.aws import rows
from threadline.core.json import Json, JsonObject
from threadline.core.ports import Item, Key

KEY = Key("conversations", "telegram/default//7/", "conversation")
LARGEST = 10**38 - 1
NUMBERS = st.integers(-LARGEST, LARGEST) | st.floats(
    allow_nan=False, allow_infinity=False, min_value=-9e125, max_value=9e125
).filter(lambda number: number == 0 or abs(number) >= rows.SMALLEST)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = st.sampled_from(sorted(rows._OWN)).flatmap(
    lambda name: st.integers(0, 3).map(lambda count: name + "_" * count)
) | st.text(min_size=1, max_size=8)


def test_a_row_can_be_read_by_a_person() -> None:
    """An item stands in the console under its own names, in native types, with times as text."""
    attributes: JsonObject = {
        "state": "running",
        "hops": 3,
        "why": None,
        "recent": [1.5],
        "known": True,
    }
    item = Item(KEY, attributes, due=("conversation", 1_790_000_000.25), expires_at=1_790_000_100.5)
    assert rows.row(item, 7, "w1", 1_790_000_000.0) == {
        "pk": {"S": "telegram/default//7/"},
        "sk": {"S": "conversation"},
        "state": {"S": "running"},
        "hops": {"N": "3"},
        "why": {"NULL": True},
        "recent": {"L": [{"N": "1.5"}]},
        "known": {"BOOL": True},
        "version": {"N": "7"},
        "write_id": {"S": "w1"},
        "updated_at": {"S": "2026-09-21T14:13:20.000Z"},
        "due": {"S": f"conversation#{rows.shard(KEY.partition)}"},
        "due_at": {"S": "2026-09-21T14:13:20.250000000Z"},
        "expires_at": {"N": "1790000101"},
    }


@given(VALUES)
def test_values_come_back(plain: Json) -> None:
    """Every value that fits is read back equal."""
    assert rows.plain(rows.value(plain)) == plain


@given(st.dictionaries(NAMES, st.integers(0, 9), max_size=6))
def test_any_name_may_be_an_attribute(attributes: dict[str, int]) -> None:
    """An attribute named like one of the store's own gives way and comes back under its name."""
    spelled = rows.row(Item(KEY, attributes, due=("kind#1", 5.0)), 3, "w", 1.0)
    assert rows.item("conversations", spelled) == Item(KEY, attributes, 3, ("kind#1", 5.0))


@pytest.mark.parametrize("number", [10**38, -(10**38), 1e126, 1e-131, float("nan"), float("inf")])
def test_a_number_that_would_change_is_refused(number: float) -> None:
    """A number that DynamoDB cannot hold, or that would come back as another, is refused."""
    with pytest.raises(ValueError, match=r"number|digits"):
        rows.value(number)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("1E+2", 100), ("1.50", 1.5), ("-0", 0), ("1E-7", 1e-7), ("123456789012345678901", None)],
)
def test_numbers_are_read_however_they_are_written(text: str, expected: float | None) -> None:
    """DynamoDB writes a number as it likes: any spelling is the same number, integers exact."""
    read = rows.plain({"N": text})
    assert read == (int(text) if expected is None else expected)


@given(st.lists(st.floats(0, 4e9), min_size=2, max_size=6))
def test_instants_sort_as_times(times: list[float]) -> None:
    """The text of an earlier time is never after that of a later one."""
    texts = [rows.instant(at) for at in times]
    assert [rows.instant(at) for at in sorted(times)] == sorted(texts)


@given(st.integers(1_000_000_000, 4_000_000_000), st.integers(0, 999_999))
def test_instants_are_exact(seconds: int, micros: int) -> None:
    """A time to the microsecond comes back as the same number, and its text is ISO 8601."""
    at = seconds + micros / 1e6
    assert rows.from_instant(rows.instant(at)) == at
    assert datetime.fromisoformat(rows.instant(at)[:19] + "Z").timestamp() == seconds


def test_partitions_spread_over_shards() -> None:
    """A hundred conversations use every shard of the due index, each always the same one."""
    shards = [rows.shard(f"telegram/default//{number}/") for number in range(100)]
    assert set(shards) == set(range(rows.SHARDS))
    assert shards == [rows.shard(f"telegram/default//{number}/") for number in range(100)]
