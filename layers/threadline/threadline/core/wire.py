"""Mail as JSON without any library: ingest writes it on a cold start."""

import json
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache

from threadline.core.arrived import Arrived


def encode(mail: Arrived) -> str:
    """Write a queue body: ASCII only, lone surrogates replaced, so that every queue takes it."""
    return json.dumps(_plain(mail), ensure_ascii=True, separators=(",", ":"))


def _plain(value: object) -> object:
    if type(value) is str and value.isascii():
        return value  # nearly every field
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {_plain(name): _plain(part) for name, part in value.items()}
    if names := _names(type(value)):  # type: ignore[arg-type] # a class is hashable
        return {name: _plain(getattr(value, name)) for name in names}
    return value


@cache
def _names(kind: type) -> tuple[str, ...]:
    """Name the fields of a dataclass; any other type has none."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
