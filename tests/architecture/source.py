"""The repository as the architecture tests read it: its files, their text, their syntax trees."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = ROOT / "layers" / "threadline" / "threadline"
HANDLERS = ROOT / "functions"

type Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@cache
def files(*suffixes: str) -> tuple[Path, ...]:
    """Return every file that is committed or would be, with one of the suffixes if any is given."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = sorted(name for name in listed.stdout.decode().split("\0") if name)
    paths = (ROOT / name for name in names)
    return tuple(p for p in paths if p.is_file() and (not suffixes or p.suffix in suffixes))


@cache
def tree(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_bytes(), filename=str(path))


def definitions(path: Path) -> Iterator[Definition]:
    """Yield every function and class of a file, nested ones too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the absolute name of every module that a file imports."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def short(path: Path) -> str:
    """Return a path as it stands in the repository."""
    return path.relative_to(ROOT).as_posix()


def words(name: str) -> list[str]:
    """Return the words of a name, be it written in snake_case, kebab-case or CamelCase."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)]
