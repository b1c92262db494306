"""Tests that are really run."""

from setup.parts import TESTS
from tests.architecture.source import ROOT, files

RUN_BY_THEIR_OWN_COMMAND = {"bench"}


def test_make_test_runs_every_folder_of_tests() -> None:
    """No test file lies where `make test` does not look."""
    tests = [path.relative_to(ROOT / "tests") for path in files(".py") if is_test(path.name)]
    unseen = {path.as_posix() for path in tests if path.parts[0] not in TESTS}
    assert tests
    assert {name for name in unseen if name.split("/")[0] not in RUN_BY_THEIR_OWN_COMMAND} == set()


def is_test(name: str) -> bool:
    """Return whether pytest takes a file of this name for tests."""
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))
