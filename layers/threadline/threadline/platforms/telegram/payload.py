"""Typed access to a decoded update: what is absent or of another type reads as absent.

Decoded JSON has exact types, and `type(…) is int` leaves out true and false.
"""

import json
from collections.abc import Mapping
from typing import Final

type Fields = Mapping[str, object]

_LARGEST: Final = 2**63


def decode(body: bytes) -> Fields | None:
    """Decode a JSON object in UTF-8; None for any other bytes."""
    try:
        value = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text(fields: Fields, name: str) -> str:
    """Give a string, "" where there is none; lone surrogates are replaced."""
    value = fields.get(name)
    return whole(value) if type(value) is str else ""


def number(fields: Fields, name: str) -> int | None:
    """Give an integer of at most 64 bits, None where there is none."""
    value = fields.get(name)
    if type(value) is int and -_LARGEST < value < _LARGEST:
        return value
    return None


def flag(fields: Fields, name: str) -> bool:
    """Tell whether the value is true itself."""
    return fields.get(name) is True


def section(fields: Fields, name: str) -> Fields | None:
    """Give an inner object, None where there is none."""
    value = fields.get(name)
    return value if type(value) is dict else None


def sections(fields: Fields, name: str) -> list[Fields]:
    """Give the objects of a list, leaving out what is none."""
    value = fields.get(name)
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def whole(value: str) -> str:
    """Replace lone surrogates, which no encoding of Unicode can carry."""
    if value.isascii():
        return value
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return value
