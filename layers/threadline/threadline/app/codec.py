"""Queue bodies and stored attributes to and from values, checked on the way in."""

import json
from typing import Annotated, Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from threadline.core.envelope import (
    Arrived,
    FilesReady,
    FlushOutbox,
    FollowRun,
    Forget,
    Mail,
    RunEnded,
    Timer,
    Wake,
)
from threadline.core.errors import ThreadlineError
from threadline.core.json import JsonObject
from threadline.core.schema import READABLE_SCHEMAS, SCHEMA

type _AnyMail = Annotated[
    Arrived | RunEnded | FilesReady | Wake | Forget | FollowRun | FlushOutbox | Timer,
    Field(discriminator="kind"),
]


class Unreadable(ThreadlineError):
    """A queue body or item that this version cannot read."""


_BODIES: Final = json.JSONEncoder(ensure_ascii=True, separators=(",", ":"))
_adapters: Final[dict[Any, TypeAdapter[Any]]] = {}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    return _adapters[kind]


def encode(mail: Mail | FollowRun | FlushOutbox | Timer) -> str:
    """Write a queue body: ASCII-escaped JSON, which every queue takes."""
    return _BODIES.encode(_adapter(type(mail)).dump_python(mail, mode="json"))


def decode(body: str) -> Mail | FollowRun | FlushOutbox | Timer:
    """Read a queue body. Raises Unreadable, which never holds the body's text."""
    try:
        plain = json.loads(body)
        if plain.get("schema") not in READABLE_SCHEMAS:
            raise Unreadable(f"queue body of schema {plain.get('schema')!r}")
        mail: Mail | FollowRun | FlushOutbox | Timer = _adapter(_AnyMail).validate_python(plain)
    except (ValueError, AttributeError, ValidationError) as error:
        raise Unreadable(f"queue body: {_faults(error)}") from None
    return mail


def attributes(record: object) -> JsonObject:
    """Turn a record into stored attributes, with its kind and schema."""
    plain: dict[str, Any] = _adapter(type(record)).dump_python(record, mode="json")
    return {"kind": type(record).__name__.lower(), "schema": SCHEMA, **plain}


def record[T](kind: type[T], stored: JsonObject) -> T:
    """Turn stored attributes into a record. Raises Unreadable."""
    if stored.get("schema") not in READABLE_SCHEMAS:
        raise Unreadable(f"{kind.__name__} of schema {stored.get('schema')!r}")
    known = {name: value for name, value in stored.items() if name not in {"kind", "schema"}}
    try:
        value: T = _adapter(kind).validate_python(known)
    except ValidationError as error:
        raise Unreadable(f"{kind.__name__}: {_faults(error)}") from None
    return value


def _faults(error: Exception) -> str:
    if isinstance(error, ValidationError):
        places = [".".join(str(step) for step in one["loc"]) for one in error.errors()[:3]]
        return "unfit fields " + ", ".join(places)
    return type(error).__name__


def encode_value(value: object) -> str:
    """Write any value as JSON for a blob."""
    return json.dumps(_adapter(type(value)).dump_python(value, mode="json"))


def decode_value[T](kind: type[T], body: bytes) -> T:
    """Read a value from a blob. Raises Unreadable."""
    try:
        value: T = _adapter(kind).validate_python(json.loads(body))
    except (ValueError, ValidationError) as error:
        raise Unreadable(f"{kind.__name__}: {_faults(error)}") from None
    return value
