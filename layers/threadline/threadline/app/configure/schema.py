"""The JSON Schema of `threadline.yaml`, for editors."""

import json
from typing import Final

from threadline.app.configure.kinds import KINDS
from threadline.app.configure.shapes import FileShape
from threadline.app.configure.tree import Value

_NEVER_EMPTY: Final = frozenset({"AgentShape", "AllowShape", "BindingShape"})


def schema_text() -> str:
    """Write the schema as it stands in docs/."""
    schema = FileShape.model_json_schema()
    schema["properties"]["platforms"]["propertyNames"] = {"enum": list(KINDS)}
    heading = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "threadline.yaml",
    }
    tidy = _tidy(schema)
    assert isinstance(tidy, dict)
    return json.dumps(heading | tidy, indent=2, ensure_ascii=False) + "\n"


def _tidy(value: Value, *, names: bool = False, definition: str = "") -> Value:
    """Drop the titles pydantic makes of field names, and let a section stand empty.

    `names`: the keys here are names of fields or definitions, not words of JSON Schema.
    """
    if isinstance(value, list):
        return [_tidy(one) for one in value]
    if not isinstance(value, dict):
        return value
    tidy: dict[str, Value] = {
        key: _tidy(one, names=key in {"properties", "$defs"} and not names, definition=key)
        for key, one in value.items()
        if key != "title" or names
    }
    if not names and tidy.get("type") == "object" and definition not in _NEVER_EMPTY:
        tidy["type"] = ["object", "null"]
    return tidy
