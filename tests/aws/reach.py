"""Which calls to the world a function's code can make: what its handler reaches, by name.

A name leads to the function it was imported or defined as; a method's name to every method of that
name. So more is found than can happen, never less, as long as no function is looked up by text.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final

from tests.architecture.source import HANDLERS, PACKAGE

PORTS: Final = ("store", "queues", "blobs", "secrets", "settings", "mailbox")
"""Where the calls that leave the process begin."""


@dataclass(frozen=True)
class Module:
    """A file's functions and methods by name, and where its other names come from."""

    name: str
    functions: Mapping[str, ast.AST]
    imported: Mapping[str, tuple[str, str]]


@dataclass
class Reached:
    """What was gone through so far, and the calls found in it: `queues.runs.send`."""

    seen: set[tuple[str, str]] = field(default_factory=set)
    calls: set[str] = field(default_factory=set)


def calls_of(function: str) -> set[str]:
    """Return every call to a port that a function's handler can lead to."""
    reached = Reached()
    handler = module(HANDLERS / function / "handler.py", "handler")
    for name in handler.functions:
        _go(handler, name, reached)
    return reached.calls


@cache
def modules() -> Mapping[str, Module]:
    """Read the use cases and what leads from a handler to them."""
    paths = {path.stem: path for path in (PACKAGE / "app").glob("*.py")}
    return {name: module(path, name) for name, path in paths.items()}


@cache
def module(path: Path, name: str) -> Module:
    """Read a file."""
    tree = ast.parse(path.read_bytes())
    functions: dict[str, ast.AST] = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                functions[node.name] = node
            case ast.ClassDef():
                functions |= dict(_methods(node))
                functions |= _begins(node)
    return Module(name, functions, dict(_imports(tree)))


def _methods(of: ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    for node in of.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{of.name}.{node.name}", node


def _begins(of: ast.ClassDef) -> dict[str, ast.AST]:
    """Give what is run where the class itself is called."""
    methods = dict(_methods(of))
    begin = methods.get(f"{of.name}.__init__") or methods.get(f"{of.name}.__post_init__")
    return {of.name: begin} if begin else {}


def _imports(tree: ast.Module) -> Iterator[tuple[str, tuple[str, str]]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("threadline.app"):
            place = (node.module or "").removeprefix("threadline.app").lstrip(".")
            for one in node.names:
                yield one.asname or one.name, (place or one.name, one.name if place else "")


def _go(of: Module, name: str, reached: Reached) -> None:
    if (of.name, name) in reached.seen or name not in of.functions:
        return
    reached.seen.add((of.name, name))
    for node in ast.walk(of.functions[name]):
        match node:
            case ast.Call(ast.Attribute() as called):
                reached.calls |= set(_port(ast.unparse(called)))
                _follow(of, called, reached)
            case ast.Name(named):
                place, its = of.imported.get(named, (of.name, named))
                _enter(place, its, of, reached)
            case ast.Attribute():
                _follow(of, node, reached)


def _follow(of: Module, attribute: ast.Attribute, reached: Reached) -> None:
    """Go where `x.name` may lead: into an imported module, or to any method of the name."""
    if isinstance(attribute.value, ast.Name):
        place, its = of.imported.get(attribute.value.id, ("", ""))
        if place and not its:
            _enter(place, attribute.attr, of, reached)
            return
    for other in modules().values():
        for known in other.functions:
            if known.endswith(f".{attribute.attr}"):
                _go(other, known, reached)


def _enter(place: str, name: str, of: Module, reached: Reached) -> None:
    target = of if place == of.name else modules().get(place)
    if target is not None:
        _go(target, name, reached)


def _port(called: str) -> Iterator[str]:
    words = called.split(".")
    for number, word in enumerate(words):
        if word in PORTS:
            yield ".".join(words[number:])
            return
