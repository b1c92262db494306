"""The core: values and rules, without the world."""

import ast
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, imported, short, tree

CORE = sorted((PACKAGE / "core").rglob("*.py"))
# Modules by which a program reaches the clock, chance, its environment, files or the network.
WORLD = {
    "asyncio", "concurrent", "ctypes", "fcntl", "ftplib", "getpass",
    "glob", "http.client", "http.server", "io", "logging", "mmap", "multiprocessing", "os",
    "pathlib", "random", "secrets", "select", "selectors", "shutil", "signal", "smtplib",
    "socket", "socketserver", "sqlite3", "ssl", "subprocess", "tempfile", "threading", "time",
    "urllib.request",
}  # fmt: skip
WORLDLY_CALLS = {"now", "today", "utcnow", "uuid1", "uuid4", "open", "input", "print"}


def test_core_is_there() -> None:
    """The tests of this file have something to read."""
    assert CORE


@pytest.mark.parametrize("path", CORE, ids=short)
def test_core_imports_the_standard_library_only(path: Path) -> None:
    """A value of the core needs nothing installed."""
    foreign = [
        (line, name)
        for line, name in imported(path)
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "threadline"}
        or (name.startswith("threadline") and not name.startswith("threadline.core"))
    ]
    assert not foreign


def test_core_reaches_for_nothing() -> None:
    """Time, chance, environment, files and the network come to the core as arguments."""
    assert not [(short(p), reached) for p in CORE for reached in reaches(tree(p))]


def test_every_way_of_reaching_is_noticed() -> None:
    """Imports in each style and calls by any name are found; what only looks alike is not."""
    source = """
import time, json
from os import environ
from urllib import request, parse
from datetime import datetime
import uuid
stamp = datetime.now()
name = uuid.uuid4()
text = open("x").read()
fine = uuid.uuid5(name, "x")
"""
    found = reaches(ast.parse(source))
    assert found == ["time", "os", "urllib.request", "now()", "uuid4()", "open()"]


def reaches(module: ast.Module) -> list[str]:
    """Return by what a module reaches the world outside its arguments."""
    found = []
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                found += [alias.name for alias in names if worldly(alias.name)]
            case ast.ImportFrom(module=str(origin), names=names):
                if worldly(origin):
                    found.append(origin)
                else:
                    members = (f"{origin}.{alias.name}" for alias in names)
                    found += [member for member in members if worldly(member)]
            case ast.Call(func=ast.Name(id=called) | ast.Attribute(attr=called)):
                found += [f"{called}()"] if called in WORLDLY_CALLS else []
    return found


def worldly(module: str) -> bool:
    """Return whether a module, or a package it is in, reaches the world."""
    parts = module.split(".")
    return any(".".join(parts[: n + 1]) in WORLD for n in range(len(parts)))
