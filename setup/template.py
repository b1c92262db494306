"""template.yaml as values: CloudFormation's short tags become one-entry mappings."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from setup.bootstrap import ROOT

TEMPLATE: Final = ROOT / "template.yaml"
FUNCTION: Final = "AWS::Serverless::Function"
QUEUE: Final = "AWS::SQS::Queue"
TABLE: Final = "AWS::DynamoDB::Table"
BUCKET: Final = "AWS::S3::Bucket"
NO_VALUE: Final = {"Ref": "AWS::NoValue"}

type Template = Mapping[str, Any]


class _Loader(yaml.SafeLoader):
    """Reads `!Ref X` as {"Ref": X}, and every other tag as {"Fn::Tag": …}."""


def _tag(loader: _Loader, name: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            value: Any = loader.construct_scalar(node)
        case yaml.SequenceNode():
            value = loader.construct_sequence(node, deep=True)
        case _:
            value = loader.construct_object(node, deep=True)
    return {name if name == "Ref" else f"Fn::{name}": value}


_Loader.add_multi_constructor("!", _tag)


def load(path: Path = TEMPLATE) -> Template:
    """Read a template."""
    return read(path.read_text(encoding="utf-8"))


def read(text: str) -> Template:
    """Read a template's text."""
    template: Template = yaml.load(text, _Loader)  # noqa: S506 - the loader is a SafeLoader
    return template


def resources(template: Template, kind: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the logical id and the properties of each resource of a kind."""
    for name, resource in template["Resources"].items():
        if resource["Type"] == kind:
            yield name, resource.get("Properties", {})


def named(value: Any) -> str:
    """Return the logical id that a Ref or GetAtt of an Arn names, else ""."""
    match value:
        case {"Ref": str(name)}:
            return name
        case {"Fn::GetAtt": str(path)}:
            return path.partition(".")[0]
        case _:
            return ""


def statements(function: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the policy statements of a function; the use of an operator's own key is apart."""
    for policy in function.get("Policies", []):
        yield from policy.get("Statement", [])


def environment(template: Template, function: str) -> Mapping[str, Any]:
    """Return the environment of a function: what all of them are told, and its own."""
    everywhere = template["Globals"]["Function"]["Environment"]["Variables"]
    own = dict(resources(template, FUNCTION))[function].get("Environment", {})
    return {**everywhere, **own.get("Variables", {})}


def several(value: Any) -> list[Any]:
    """Return a list, be it one already or a single value."""
    return value if isinstance(value, list) else [value]


def resolved(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value with Ref, GetAtt and Sub replaced by what they name.

    Of an If the first is taken where the condition's name stands for some text; what is then no
    value is left out.
    """
    match value:
        case {"Fn::If": [str(condition), first, second]}:
            return resolved(first if names.get(condition) else second, names)
        case {"Ref": "AWS::NoValue"}:
            return NO_VALUE
        case {"Ref": str(name)} | {"Fn::GetAtt": str(name)}:
            return names[name]
        case {"Fn::Sub": str(text)}:
            return re.sub(r"\$\{([^}]+)\}", lambda found: names[found[1]], text)
        case Mapping():
            made = {name: resolved(one, names) for name, one in value.items()}
            return {name: one for name, one in made.items() if one != NO_VALUE}
        case list():
            return [resolved(one, names) for one in value]
        case _:
            return value
