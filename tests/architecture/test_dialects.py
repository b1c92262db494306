"""Nothing above the agents knows which dialect it speaks."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.source import PACKAGE, ROOT, files, short, tree
from threadline.wiring import DIALECTS

KNOWING = {
    "app/configure/kinds.py": "what may be written in the configuration",
    "wiring.py": "names become objects there",
    "local/serve.py": "says where the demo agent's program lies",
}
NAMED = re.compile("|".join(DIALECTS))


def named_in(path: Path) -> Iterator[str]:
    """Yield where code names a dialect: texts, imports and names, but no docstring."""
    told = {
        id(node.value)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree(path)):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in told:
                words = text
            case ast.Name(id=words) | ast.Attribute(attr=words) | ast.alias(name=words):
                pass
            case ast.ImportFrom(module=str() as words):
                pass
            case _:
                continue
        if NAMED.search(words):
            yield f"{short(path)}: {words[:60]}"


def above() -> list[Path]:
    """List the code that is neither an agent's nor below it, by its place in the package."""
    packages = (PACKAGE, ROOT / "functions", ROOT / "long_running")
    return [
        path
        for path in files(".py")
        if any(path.is_relative_to(one) for one in packages)
        and not path.is_relative_to(PACKAGE / "agents")
    ]


def test_no_dialect_is_named_above_the_agents() -> None:
    """Callers ask what an agent can do, never which dialect it speaks."""
    exempt = {PACKAGE / place for place in KNOWING}
    assert not [hit for path in above() if path not in exempt for hit in named_in(path)]


def test_the_exceptions_are_needed() -> None:
    """Each place that may name a dialect does."""
    assert [place for place in KNOWING if not list(named_in(PACKAGE / place))] == []
