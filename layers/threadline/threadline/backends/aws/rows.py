"""Items as DynamoDB rows that a person can read in the console; no SDK in here.

A row holds the item's attributes as native types, and beside them `pk`, `sk`, `version`,
`write_id`, `updated_at` and, where the item has them, `due` with `due_at` and `expires_at`.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final, TypedDict, assert_never
from zlib import crc32

from threadline.core.json import Json
from threadline.core.ports import Item, Key

SHARDS: Final = 8
_OWN: Final = frozenset(
    {"pk", "sk", "version", "write_id", "updated_at", "due", "due_at", "expires_at"}
)
_MADE_WAY: Final = re.compile(rf"({'|'.join(sorted(_OWN))})_+")
_INTEGERS: Final = 10**38
"""DynamoDB numbers have 38 digits; SMALLEST and LARGEST bound how far they reach from zero.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""
SMALLEST: Final = 1e-130
LARGEST: Final = 9.99e125


class Value(TypedDict, total=False):
    """A value as DynamoDB's API spells it: one entry, its name the type."""

    S: str
    N: str
    B: bytes
    SS: Sequence[str]
    NS: Sequence[str]
    BS: Sequence[bytes]
    M: Mapping[str, Any]
    L: Sequence[Any]
    NULL: bool
    BOOL: bool


type Row = Mapping[str, Value]


def value(plain: Json) -> Value:
    """Spell a JSON value. Raises ValueError for a number that DynamoDB cannot hold exactly."""
    match plain:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": plain}
        case int():
            return {"N": _integer(plain)}
        case float():
            return {"N": _fraction(plain)}
        case str():
            return {"S": plain}
        case Mapping():
            return {"M": {name: value(inner) for name, inner in plain.items()}}
        case Sequence():
            return {"L": [value(inner) for inner in plain]}
        case _:
            assert_never(plain)


def plain(spelled: Value) -> Json:
    """Read a value back; a float without a fraction comes back as the equal integer."""
    match spelled:
        case {"S": str(text)}:
            return text
        case {"N": str(number)}:
            return _from_number(number)
        case {"BOOL": bool(flag)}:
            return flag
        case {"M": inner}:
            return {name: plain(one) for name, one in inner.items()}
        case {"L": several}:
            return [plain(one) for one in several]
        case {"NULL": _}:
            return None
        case _:
            raise ValueError(f"a value of type {'/'.join(spelled)} is none of ours")


def row(item: Item, version: int, write_id: str, now: float) -> Row:
    """Spell an item as its row."""
    spelled: dict[str, Value] = {
        **key(item.key),
        "version": value(version),
        "write_id": value(write_id),
        "updated_at": value(f"{instant(now)[:23]}Z"),
    }
    if item.due is not None:
        kind, at = item.due
        spelled["due"] = value(due_partition(kind, shard(item.key.partition)))
        spelled["due_at"] = value(instant(at))
    if item.expires_at is not None:
        spelled["expires_at"] = value(ceil(item.expires_at))
    for name, one in item.attributes.items():
        spelled[f"{name}_" if _gives_way(name) else name] = value(one)
    return spelled


def item(table: str, spelled: Row) -> Item:
    """Read a row back."""
    attributes = {
        name[:-1] if _MADE_WAY.fullmatch(name) else name: plain(one)
        for name, one in spelled.items()
        if name not in _OWN
    }
    due = None
    if "due" in spelled:
        kind = spelled["due"]["S"].rpartition("#")[0]
        due = (kind, from_instant(spelled["due_at"]["S"]))
    return Item(
        Key(table, spelled["pk"]["S"], spelled["sk"]["S"]),
        attributes,
        version=int(spelled["version"]["N"]),
        due=due,
        expires_at=float(spelled["expires_at"]["N"]) if "expires_at" in spelled else None,
    )


def key(of: Key) -> Row:
    """Spell a key."""
    return {"pk": {"S": of.partition}, "sk": {"S": of.sort}}


def shard(partition: str) -> int:
    """Choose the shard of the due index that all items of a partition share."""
    return crc32(partition.encode()) % SHARDS


def due_partition(kind: str, of_shard: int) -> str:
    """Name a partition of the due index."""
    return f"{kind}#{of_shard}"


def instant(at: float) -> str:
    """Write epoch seconds as ISO text to the nanosecond; texts sort as times do."""
    whole, _, fraction = f"{at:.9f}".partition(".")
    return f"{datetime.fromtimestamp(int(whole), UTC):%Y-%m-%dT%H:%M:%S}.{fraction}Z"


def from_instant(text: str) -> float:
    """Read what `instant` wrote."""
    moment, _, fraction = text.removesuffix("Z").partition(".")
    whole = int(datetime.fromisoformat(f"{moment}+00:00").timestamp())
    return float(f"{whole}.{fraction}")


def _gives_way(name: str) -> bool:
    return name in _OWN or _MADE_WAY.fullmatch(name) is not None


def _integer(number: int) -> str:
    if abs(number) >= _INTEGERS:
        raise ValueError("an integer of more than 38 digits")
    return str(number)


def _fraction(number: float) -> str:
    if number and not SMALLEST <= abs(number) < LARGEST:
        raise ValueError("a number that DynamoDB cannot hold")
    # The digits of a large whole number are written out, so that it equals the integer read back.
    if number.is_integer() and abs(number) < _INTEGERS:
        return _integer(int(number))
    return repr(number)


def _from_number(text: str) -> int | float:
    if text.removeprefix("-").isdigit():
        whole = int(text)
        return whole if abs(whole) < _INTEGERS else float(whole)
    from decimal import Decimal  # ingest, on a cold start, meets whole numbers only

    number = Decimal(text)
    if number == number.to_integral_value() and abs(number) < _INTEGERS:
        return int(number)
    return float(number)
