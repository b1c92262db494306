"""Names that say what a thing is."""

import pytest

from tests.architecture.source import ROOT, definitions, files, short, words

SAY_NOTHING = {
    "manager", "managers", "helper", "helpers", "util", "utils", "common", "base", "processor",
    "processors", "service", "services", "data", "info",
}  # fmt: skip
GIVEN_BY_OTHERS = {
    "data_received": "asyncio calls it",
    "handle_data": "html.parser calls it",
    "SecretsManager": "what AWS calls it",
    "secrets_manager": "what AWS calls it",
}


def test_files_and_folders_are_named_for_what_they_hold() -> None:
    """No file or folder of code is called by a word that fits any other as well."""
    empty = {
        short(path)
        for path in files(".py", ".js")
        for part in path.relative_to(ROOT).with_suffix("").parts
        if says_nothing(part)
    }
    assert not empty


def test_functions_and_classes_are_named_for_what_they_do() -> None:
    """No function or class is called by a word that fits any other as well; tests are prose."""
    empty = {
        f"{short(path)}:{node.lineno} {node.name}"
        for path in files(".py")
        for node in definitions(path)
        if says_nothing(node.name) and not node.name.startswith("test_")
    }
    assert not empty


def says_nothing(name: str) -> bool:
    """Return whether one of a name's words is empty, names that others gave aside."""
    for given in GIVEN_BY_OTHERS:
        name = name.replace(given, "")
    return bool(SAY_NOTHING & set(words(name)))


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
