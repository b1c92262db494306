"""Decoded JSON of which nothing is certain: each reading gives an empty value for another shape."""

import json
from collections.abc import Sequence

from threadline.core.json import Json, JsonObject
from threadline.core.legible import plain
from threadline.core.split import head_of


class Unreadable(Exception):
    """Bytes that are not JSON, or nested too deeply to be read."""


def decode(body: bytes | str) -> Json:
    """Read JSON. Raises Unreadable and nothing else."""
    try:
        value: Json = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Unreadable(type(error).__name__) from None
    return value


def mapping(value: Json) -> JsonObject:
    """Give an object, {} for anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> Sequence[Json]:
    """Give an array, () for anything else."""
    return value if isinstance(value, list | tuple) else ()


def string(value: Json) -> str:
    """Give a string fit for UTF-8, "" for anything else.

    JSON may carry halves of surrogate pairs: two that meet become a character, others U+FFFD.
    """
    if not isinstance(value, str):
        return ""
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def line(value: str, length: int) -> str:
    """Put text on one line of at most `length` characters, none of which a terminal obeys."""
    return head_of(" ".join(plain(value).split()), length)
