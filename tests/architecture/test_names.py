"""Names that say what a thing is."""

import pytest

from tests.architecture.source import ROOT, definitions, files, short, words

SAY_NOTHING = {
    "manager", "managers", "helper", "helpers", "util", "utils", "common", "base", "processor",
    "processors", "service", "services", "data", "info",
}  # fmt: skip
GIVEN_BY_OTHERS: dict[str, str] = {
    "handle_data": "html.parser calls it so",
}


def test_files_and_folders_are_named_for_what_they_hold() -> None:
    """No file or folder of code is called by a word that fits any other as well."""
    empty = {
        short(path)
        for path in files(".py", ".js")
        for part in path.relative_to(ROOT).with_suffix("").parts
        if SAY_NOTHING & set(words(part))
    }
    assert not empty


def test_functions_and_classes_are_named_for_what_they_do() -> None:
    """No function or class is called by a word that fits any other as well; tests are prose."""
    empty = {
        f"{short(path)}:{node.lineno} {node.name}"
        for path in files(".py")
        for node in definitions(path)
        if SAY_NOTHING & set(words(node.name))
        and node.name not in GIVEN_BY_OTHERS
        and not node.name.startswith("test_")
    }
    assert not empty


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("HTTPManager", ["http", "manager"]),
        ("run_info", ["run", "info"]),
        ("decode_base64", ["decode", "base64"]),
        ("LangGraphServer", ["lang", "graph", "server"]),
        ("__init__", ["init"]),
    ],
)
def test_words_are_found_in_either_style(name: str, expected: list[str]) -> None:
    """A name is read word by word, so that neither a database nor base64 counts as a base."""
    assert words(name) == expected
