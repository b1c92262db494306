"""Who may catch everything."""

import ast

from tests.architecture.source import files, short, tree

MAY_CATCH_EVERYTHING = ("functions/*/handler.py", "long_running/main.py")
CLI = "layers/threadline/threadline/cli/main.py"
EVERYTHING = {"Exception", "BaseException"}


def test_only_entry_points_catch_everything() -> None:
    """An error nobody foresaw reaches the entry point of its process, which alone may catch it."""
    caught = {
        f"{short(path)}:{line}"
        for path in files(".py")
        if short(path) != CLI and not any(path.match(place) for place in MAY_CATCH_EVERYTHING)
        for line in catches_everything(tree(path))
    }
    assert not caught


def test_every_way_of_catching_everything_is_found() -> None:
    """A bare except, a tuple, suppress() and a handler that swallows are all noticed."""
    source = """
try: ...
except: ...
try: ...
except (ValueError, Exception): ...
with suppress(Exception): ...
with contextlib.suppress(OSError, BaseException): ...
try: ...
except BaseException:
    clean()
    raise
try: ...
except ValueError: ...
"""
    assert catches_everything(ast.parse(source)) == [3, 5, 6, 7]


def catches_everything(module: ast.Module) -> list[int]:
    """Return the lines that catch everything and do not raise it again."""
    lines = []
    for node in ast.walk(module):
        match node:
            case ast.ExceptHandler(type=kind, body=[*_, last]):
                caught = kind is None or names_everything(kind)
                passed_on = isinstance(last, ast.Raise) and last.exc is None
                if caught and not passed_on:
                    lines.append(node.lineno)
            case ast.Call(func=ast.Name(id="suppress") | ast.Attribute(attr="suppress"), args=args):
                if any(names_everything(argument) for argument in args):
                    lines.append(node.lineno)
    return sorted(lines)


def names_everything(kind: ast.expr) -> bool:
    """Return whether an expression names a class that every error is of."""
    return any(isinstance(n, ast.Name) and n.id in EVERYTHING for n in ast.walk(kind))
