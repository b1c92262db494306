"""Run the parts of `make check` and `make test` in order, and say what each took."""

import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CHECKS = {
    "lint": ("ruff", "check", "--quiet", "."),
    "format": ("ruff", "format", "--check", "--quiet", "."),
    "types": ("mypy",),
    "graph types": (
        "mypy", "--python-executable", ".tools/agent/bin/python",
        "demo_agent", "tests/bench/graph/graph.py",
        "tests/pipeline/blocks_agent/graph.py",
    ),
    "imports": ("lint-imports", "--no-logo"),
}  # fmt: skip
# The longest come first, since what is begun last decides how long other processes idle.
TESTS = (
    "aws",
    "pipeline",
    "browser",
    "faults",
    "contract",
    "unit",
    "golden",
    "node",
    "property",
    "architecture",
)
# Most of their time tests wait: for a server, for a lease to stand still.
SIDE_BY_SIDE = ("--numprocesses=3", "--dist=loadfile", "--no-loadscope-reorder")


def main() -> None:
    """Run the checks, and with the word `test` the tests after them; fail with the first part."""
    failed, took = run_checks()
    if failed or sys.argv[1:] != ["test"]:
        print(table(took))
        sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
    folders = [f"tests/{name}" for name in TESTS if (ROOT / "tests" / name).is_dir()]
    sys.exit(pytest.main([f"--rootdir={ROOT}", *SIDE_BY_SIDE, *folders], plugins=[Clock(took)]))


def run_checks() -> tuple[list[str], dict[str, float]]:
    """Run every check, whatever the others say; return which failed, and the seconds of each."""
    failed: list[str] = []
    took: dict[str, float] = {}
    for name, command in CHECKS.items():
        started = time.monotonic()
        program = Path(sys.executable).parent / command[0]
        if subprocess.run([program, *command[1:]], cwd=ROOT, check=False).returncode:
            failed.append(name)
        took[name] = time.monotonic() - started
    return failed, took


class Clock:
    """A pytest plugin: adds up the seconds of each folder of tests and prints them at the end.

    Several tests run at once, so that the parts take more together than the clock shows.
    """

    def __init__(self, before: dict[str, float]) -> None:
        self.took = defaultdict(float, before)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the set-up, the call and the tear-down of a test."""
        self.took[report.nodeid.split("/")[1]] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the table just above pytest's own last line."""
        terminalreporter.section("what each part took")
        terminalreporter.write_line(table(self.took))


def table(took: dict[str, float]) -> str:
    """Return a line for each part with its seconds."""
    return "\n".join(f"{name:<14}{seconds:>8.1f} s" for name, seconds in took.items())


if __name__ == "__main__":
    main()
