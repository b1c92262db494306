"""Sizes a reader can hold in mind."""

import ast

from tests.architecture.source import HANDLERS, definitions, files, short

MOST_LINES = 400
MOST_LINES_OF_A_FUNCTION = 40
MOST_LINES_OF_A_HANDLER = 40
WRITTEN_BY_HAND = (".py", ".js", ".css", ".html", ".sh")


def test_files_are_short() -> None:
    """No file that a person writes is longer than 400 lines, tests included."""
    too_long = {
        short(path): lines
        for path in files(*WRITTEN_BY_HAND)
        if (lines := path.read_text(encoding="utf-8").count("\n")) > MOST_LINES
    }
    assert not too_long


def test_functions_are_short() -> None:
    """No function is longer than 40 lines."""
    too_long = {
        f"{short(path)}:{node.lineno} {node.name}": lines
        for path in files(".py")
        for node in definitions(path)
        if not isinstance(node, ast.ClassDef)
        and (lines := (node.end_lineno or 0) - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    }
    assert not too_long


def test_handlers_only_compose() -> None:
    """No function's handler.py is longer than 40 lines: the rules live in the package."""
    too_long = {
        short(path): lines
        for path in HANDLERS.glob("*/handler.py")
        if (lines := path.read_text(encoding="utf-8").count("\n")) > MOST_LINES_OF_A_HANDLER
    }
    assert not too_long
