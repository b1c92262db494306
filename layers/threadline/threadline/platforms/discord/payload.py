"""Typed access to decoded JSON: what is absent or of another type reads as absent.

Ids are snowflakes, sent as text: https://docs.discord.com/developers/reference#snowflakes
"""

import json
import re
from collections.abc import Mapping
from typing import Final

type Fields = Mapping[str, object]

EPOCH: Final = 1_420_070_400_000
"""The first millisecond of 2015, from which ids count time."""

_ID: Final = re.compile(r"[1-9][0-9]{0,18}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LARGEST: Final = 2**63


def decode(body: bytes | str) -> Fields | None:
    """Decode a JSON object in UTF-8; None for anything else."""
    try:
        value = json.loads(body.decode() if isinstance(body, bytes) else body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text(fields: Fields, name: str) -> str:
    """Give a string, "" where there is none; lone surrogates are replaced."""
    value = fields.get(name)
    return whole(value) if isinstance(value, str) else ""


def snowflake(fields: Fields, name: str) -> str:
    """Give an id, "" where there is none."""
    return as_id(fields.get(name))


def as_id(value: object) -> str:
    """Give the value where it is an id, else ""."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else ""


def ids(fields: Fields, name: str) -> tuple[str, ...]:
    """Give the ids of a list, leaving out what is none."""
    value = fields.get(name)
    return tuple(filter(None, map(as_id, value))) if isinstance(value, list) else ()


def number(fields: Fields, name: str) -> int:
    """Give a whole number from 0 on, -1 where there is none."""
    value = fields.get(name)
    return value if type(value) is int and 0 <= value < _LARGEST else -1


def section(fields: Fields, name: str) -> Fields:
    """Give an inner object, an empty one where there is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def sections(fields: Fields, name: str) -> list[Fields]:
    """Give the objects of a list, leaving out what is none."""
    value = fields.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def flag(fields: Fields, name: str) -> bool:
    """Tell whether the value is true itself."""
    return fields.get(name) is True


def sent_at(identity: str) -> float:
    """Give when an id was made, in epoch seconds."""
    return ((int(identity) >> 22) + EPOCH) / 1000


def first_of(at: float) -> str:
    """Give the smallest id that can have been made at a time."""
    return str(max(int(at * 1000) - EPOCH, 1) << 22)


def whole(value: str) -> str:
    """Replace lone surrogates, which no encoding of Unicode can carry."""
    if value.isascii() or not _SURROGATE.search(value):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
