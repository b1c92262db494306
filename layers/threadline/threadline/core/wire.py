"""Mail as JSON without any library: ingest writes it on a cold start."""

import json
from dataclasses import fields
from functools import cache
from typing import Any, Final

from threadline.core.arrived import Arrived

_TIGHT: Final = (",", ":")


def encode(mail: Arrived) -> str:
    """Write a queue body: ASCII only, lone surrogates replaced, so that every queue takes it."""
    body = json.dumps(mail, default=_fields, ensure_ascii=False, separators=_TIGHT)
    if body.isascii():
        return body
    whole = body.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return json.dumps(json.loads(whole), separators=_TIGHT)


def _fields(value: object) -> dict[str, object]:
    names = _names(type(value))  # type: ignore[arg-type] # a class is hashable
    return {name: getattr(value, name) for name in names}


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """Name the fields of a dataclass. Raises TypeError for any other type."""
    return tuple(field.name for field in fields(kind))
