"""Typed access to what Slack sends: what is absent or of another type reads as absent."""

import json
import re
from collections.abc import Mapping
from typing import Final

type Fields = Mapping[str, object]

_LONGEST_ID: Final = 64
_MOMENT: Final = re.compile(r"[0-9]{10}\.[0-9]{6}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LARGEST: Final = 2**53


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
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else whole(value)


def identity(fields: Fields, name: str) -> str:
    """Give an id of Slack's (a user, channel, workspace, app), "" where there is none."""
    value = fields.get(name)
    if not isinstance(value, str) or not value.isalnum() or len(value) > _LONGEST_ID:
        return ""
    return value if value.isascii() else ""


def moment(fields: Fields, name: str) -> str:
    """Give a `ts`, which is a message's id in its channel and sorts as text, "" for none."""
    value = fields.get(name)
    return value if isinstance(value, str) and _MOMENT.fullmatch(value) else ""


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


def whole(value: str) -> str:
    """Replace lone surrogates, which no encoding of Unicode can carry."""
    if value.isascii() or not _SURROGATE.search(value):
        return value
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
