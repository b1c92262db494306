"""Mail as JSON without any library: ingest writes it on a cold start."""

import json
from dataclasses import fields, is_dataclass
from enum import Enum

from threadline.core.arrived import Arrived


def encode(mail: Arrived) -> str:
    """Write a queue body: ASCII only, lone surrogates replaced, so that every queue takes it."""
    return json.dumps(_plain(mail), ensure_ascii=True, separators=(",", ":"))


def _plain(value: object) -> object:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return (
            value
            if value.isascii()
            else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {_plain(name): _plain(part) for name, part in value.items()}
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value
