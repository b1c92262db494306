"""No test is left out unnoticed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import ROOT

SKIPS = """
import pytest

@pytest.mark.browser
def test_with_a_peer(): pass

@pytest.mark.skip(reason="by hand")
def test_by_hand(): pass

@pytest.mark.xfail
def test_expected_to_fail(): assert False
"""
WHOLE_FILE = "import pytest; pytest.skip('the whole file', allow_module_level=True)"
NO_PROGRAMS = "/nonexistent"


def test_a_skip_says_what_is_missing(tmp_path: Path) -> None:
    """On a person's machine a test without its peer is skipped, naming the peer and the remedy."""
    code, said = run(tmp_path, SKIPS, ci="")
    assert code == pytest.ExitCode.OK
    assert "needs Chromium: install chromium" in said
    assert "2 skipped, 1 xfailed" in said


@pytest.mark.parametrize(
    ("source", "outcome"),
    [(SKIPS, "1 xfailed, 2 errors"), (WHOLE_FILE, "1 error")],
    ids=["tests", "file"],
)
def test_ci_allows_no_skip(tmp_path: Path, source: str, outcome: str) -> None:
    """In CI whatever is skipped, for whichever reason, fails the run."""
    code, said = run(tmp_path, source, ci="true")
    assert code != pytest.ExitCode.OK
    assert outcome in said
    assert "skipped, which CI does not allow" in said


def run(folder: Path, source: str, ci: str) -> tuple[int, str]:
    """Run pytest on one file with our rules, on a machine that has no programs on its path."""
    (folder / "test_some.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rs", "-p", "tests.conftest", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, f"--rootdir={folder}", str(folder)],
        cwd=ROOT,
        env={**os.environ, "CI": ci, "PATH": NO_PROGRAMS, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
        encoding="utf-8",
    )
    return done.returncode, done.stdout
