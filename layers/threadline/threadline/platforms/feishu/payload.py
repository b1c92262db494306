"""Typed access to what Feishu sends: what is absent or of another type reads as empty."""

import json
import re
from collections.abc import Mapping
from typing import Final

type Fields = Mapping[str, object]

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST_NUMBER: Final = 16


def decode(body: bytes | str) -> Fields | None:
    """Decode a JSON object; None for anything else, also for bytes that are no UTF-8."""
    try:
        value = json.loads(body.decode() if isinstance(body, bytes) else body)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def text(fields: Fields, name: str) -> str:
    """Give a string, "" where there is none; lone surrogates are replaced."""
    value = fields.get(name)
    if type(value) is not str:
        return ""
    return value if value.isascii() else whole(value)


def section(fields: Fields, name: str) -> Fields:
    """Give an inner object, an empty one where there is none."""
    value = fields.get(name)
    return value if isinstance(value, dict) else {}


def items(fields: Fields, name: str) -> list[object]:
    """Give a list, an empty one where there is none."""
    value = fields.get(name)
    return value if isinstance(value, list) else []


def sections(fields: Fields, name: str) -> list[Fields]:
    """Give the objects of a list, leaving out what is none."""
    return [one for one in items(fields, name) if isinstance(one, dict)]


def milliseconds(fields: Fields, name: str) -> int:
    """Give a time, which Feishu writes as text, in milliseconds; -1 where there is none."""
    value = text(fields, name)
    fit = value.isdecimal() and value.isascii() and len(value) <= _LONGEST_NUMBER
    return int(value) if fit else -1


def whole(value: str) -> str:
    """Replace lone surrogates, which no encoding of Unicode can carry."""
    if value.isascii() or not _SURROGATE.search(value):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
