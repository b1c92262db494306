"""Values to shapes: every misfit as a sentence, and what is left without the unfit parts."""

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from threadline.app.configure.faults import Found, Path, nearest
from threadline.app.configure.shapes import FileShape
from threadline.app.configure.tree import Tree, Value
from threadline.app.configure.values import LOGIN, NAME, STAGE

_PATTERNS: Final[Mapping[str, str]] = {
    NAME: "a name has letters, digits, `-` and `_`, at most 63, and starts with a letter or digit",
    STAGE: "a stage has small letters, digits and `-`, such as `dev` or `prod`",
    LOGIN: "a login has letters, digits, `-` and `_`",
}
_WANTED: Final[Mapping[str, str]] = {
    "string_type": "wants text; put it in quotes",
    "bool_type": "wants true or false",
    "int_type": "wants a whole number",
    "float_type": "wants a number",
    "list_type": "wants a list such as `[a, b]`",
    "dict_type": "wants `key: value` lines below it",
    "model_type": "wants `key: value` lines below it",
    "string_too_short": "is empty; write a value or leave the key out",
    "too_short": "is an empty list; fill it or leave the key out",
}
_NAMED_SECTIONS: Final = frozenset({"agents", "platforms", "bindings"})


def shape(tree: Tree) -> tuple[FileShape, list[Found]]:
    """Read the tree as the file's shape.

    The second part are the faults; what they stand in is missing from the first, so that the rest
    can be checked all the same.
    """
    found: list[Found] = []
    rest = copy.deepcopy(tree.root)
    while True:
        try:
            return FileShape.model_validate(rest), found
        except ValidationError as misfit:
            details = misfit.errors(include_url=False, include_input=False)
            found.extend(_found(one, tree) for one in details)
            for one in details:
                _cut(rest, _part(one))


def _found(detail: ErrorDetails, tree: Tree) -> Found:
    path = _path(detail)
    return Found(tree.line(path), path, _words(detail, path))


def _path(detail: ErrorDetails) -> Path:
    """Drop pydantic's mark of a fault in a key rather than its value."""
    path = detail["loc"]
    return (
        path[:-1] if detail["type"] == "string_pattern_mismatch" and path[-1] == "[key]" else path
    )


def _words(detail: ErrorDetails, path: Path) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    if kind == "extra_forbidden":
        words = f"unknown key; {nearest(str(path[-1]), _keys(path[:-1]))}"
    elif kind == "missing":
        words = f"is missing: {_purpose(path)}"
    elif kind in {"literal_error", "enum"}:
        words = (
            f"write one of: {str(context.get('expected')).replace("'", '').replace(' or ', ', ')}"
        )
    elif kind == "string_pattern_mismatch":
        words = _PATTERNS[str(context.get("pattern"))]
    elif kind in {"greater_than", "greater_than_equal", "less_than_equal"}:
        words = f"{detail['msg'].removeprefix('Input should be ')} is wanted"
    else:
        words = _WANTED.get(kind, detail["msg"])
    if "allow" in path[:-1]:
        words += "; until then this list admits nobody"
    return words


def _keys(path: Path) -> Sequence[str]:
    model = _model(path)
    return list(model.model_fields) if model else []


def _purpose(path: Path) -> str:
    model = _model(path[:-1])
    description = model.model_fields[str(path[-1])].description if model else None
    return description or "write it"


def _model(path: Path) -> type[BaseModel] | None:
    """Find the shape that stands at the path."""
    here: Any = FileShape
    for step in path:
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(str(step))
            here = field.annotation if field else None
        else:
            here = get_args(here)[-1] if get_args(here) else None
        here = _bare(here)
    return here if isinstance(here, type) and issubclass(here, BaseModel) else None


def _bare(annotation: Any) -> Any:
    """Take `Annotated` and `| None` off."""
    while not isinstance(annotation, type) and get_args(annotation):
        if get_origin(annotation) in {dict, list}:
            break
        annotation = get_args(annotation)[0]
    return annotation


def _part(detail: ErrorDetails) -> Path:
    """Say what to leave out: an unknown key alone, else the entry or section around the fault."""
    path = _path(detail)
    if detail["type"] == "extra_forbidden":
        return path
    return path[:2] if path[0] in _NAMED_SECTIONS else path[:1]


def _cut(root: dict[str, Value], path: Path) -> None:
    here: Value = root
    for step in path[:-1]:
        here = here.get(str(step)) if isinstance(here, dict) else None
    if isinstance(here, dict):
        here.pop(str(path[-1]), None)
