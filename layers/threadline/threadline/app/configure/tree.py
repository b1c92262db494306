"""YAML text to plain values that remember their lines.

Scalars follow JSON's rules, so that `no`, `on`, `1_000` and `12:30` stay text: only `true`,
`false`, `null` and numbers as JSON writes them are more. Anchors, aliases, merge keys and tags are
refused, and so is depth: what is read is never larger than what is written.
"""

import math
import re
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from threadline.app.configure.faults import Found, Path, error
from threadline.app.configure.secrecy import secret_value

MAX_BYTES: Final = 256_000
MAX_DEPTH: Final = 24

_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")
_FLOAT: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,18})(?:\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?")
_NULLS: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BREAK: Final = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")

type Value = bool | int | float | str | list[Value] | dict[str, Value] | None


@dataclass(frozen=True, slots=True)
class Tree:
    """The document as plain values; `lines` has the line of every key and list entry.

    `secret_lines` are those in which a secret seems to stand, comments included.
    """

    root: dict[str, Value]
    lines: dict[Path, int] = field(default_factory=dict)
    secret_lines: tuple[int, ...] = ()

    def line(self, path: Path) -> int:
        """Give the line of the path, or of the nearest key above it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1


class _Refused(yaml.YAMLError):
    """YAML that is well formed and not read here; `line` counts from 1."""

    def __init__(self, what: str, line: int) -> None:
        super().__init__(what)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Composes nodes; scalars keep their text, whatever they look like."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.yaml_implicit_resolvers = {}
        self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Refuse what would make the tree larger than the text, then compose as usual."""
        event: yaml.Event = self.peek_event()  # type: ignore[no-untyped-call]
        line = _line(event)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _Refused("anchors and aliases (`&`, `*`) are not read: write the value", line)
        if getattr(event, "tag", None):
            raise _Refused("tags (`!`) are not read: leave the tag out", line)
        if self.depth >= MAX_DEPTH:
            raise _Refused(f"nested deeper than {MAX_DEPTH} levels", line)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


def read(source: bytes, name: str) -> Tree:
    """Read the file's bytes; an empty file is an empty tree. Raises ConfigError, nothing else."""
    text = _decode(source, name)
    node = _compose(text, name)
    found: list[Found] = []
    lines = enumerate(_BREAK.split(text), start=1)
    tree = Tree({}, secret_lines=tuple(number for number, row in lines if secret_value(row)))
    if node is not None and not (isinstance(node, yaml.ScalarNode) and _plain_null(node)):
        value = _value(node, (), tree, found)
        if isinstance(value, dict):
            tree.root.update(value)
        else:
            found.append(Found(_line(node), (), "the file must hold `key: value` lines"))
    if found:
        raise error(found, name)
    return tree


def _decode(source: bytes, name: str) -> str:
    if len(source) > MAX_BYTES:
        what = f"the file is larger than {MAX_BYTES:,} bytes; a configuration never is"
        raise error([Found(0, (), what)], name)
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        line = source.count(b"\n", 0, fault.start) + 1
        raise error([Found(line, (), "not UTF-8; save the file in that encoding")], name) from None


def _compose(text: str, name: str) -> yaml.Node | None:
    try:
        loader = _Loader(text)
        node: yaml.Node | None = loader.get_single_node()
    except _Refused as fault:
        raise error([Found(fault.line, (), str(fault))], name) from None
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line = mark.line + 1 if mark else 0
        raise error([Found(line, (), _explain(fault, text))], name) from None
    except yaml.reader.ReaderError as fault:
        line = text.count("\n", 0, fault.position) + 1
        raise error([Found(line, (), "a character that YAML does not allow")], name) from None
    except (ValueError, OverflowError):
        # The library turns numbers in escapes and directives into characters without a check.
        what = "an escape or directive with an impossible number"
        raise error([Found(0, (), what)], name) from None
    return node


def _explain(fault: yaml.MarkedYAMLError, text: str) -> str:
    mark = fault.problem_mark
    lines = _BREAK.split(text)
    if mark and mark.line < len(lines) and "\t" in lines[mark.line][: mark.column + 1]:
        return "a tab where YAML wants spaces; indent with spaces"
    return f"not YAML: {fault.problem or fault.context}"


def _value(node: yaml.Node, path: Path, tree: Tree, found: list[Found]) -> Value:
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, tree, found)
    if isinstance(node, yaml.SequenceNode):
        entries: list[Value] = []
        for number, entry in enumerate(node.value):
            tree.lines[(*path, number)] = _line(entry)
            entries.append(_value(entry, (*path, number), tree, found))
        return entries
    return _scalar(node, path, found)


def _mapping(
    node: yaml.MappingNode, path: Path, tree: Tree, found: list[Found]
) -> dict[str, Value]:
    result: dict[str, Value] = {}
    for key_node, value_node in node.value:
        line = _line(key_node)
        if not isinstance(key_node, yaml.ScalarNode) or not key_node.value:
            found.append(Found(line, path, "a key must be a word"))
            continue
        key = str(key_node.value)
        here = (*path, key)
        if _UNPRINTABLE.search(key):
            found.append(Found(line, path, "a key with characters that cannot be printed"))
        elif key == "<<" and key_node.style is None:
            found.append(Found(line, path, "merge keys (`<<`) are not read: write the values out"))
        elif key in result:
            first = tree.lines[here]
            found.append(Found(line, here, f"written twice, first in line {first}; keep one"))
        else:
            tree.lines[here] = line
            result[key] = _value(value_node, here, tree, found)
    return result


def _scalar(node: yaml.Node, path: Path, found: list[Found]) -> Value:
    text = str(node.value)
    if _UNPRINTABLE.search(text):
        found.append(Found(_line(node), path, "holds characters that cannot be printed"))
        return ""
    if not isinstance(node, yaml.ScalarNode) or node.style is not None:
        return text
    if text in _NULLS:
        return None
    if text in {"true", "True", "TRUE", "false", "False", "FALSE"}:
        return text.lower() == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        return float(text)
    return text


def _plain_null(node: yaml.ScalarNode) -> bool:
    return node.style is None and node.value in _NULLS


def _line(at: yaml.Node | yaml.Event) -> int:
    return at.start_mark.line + 1 if at.start_mark else 0
