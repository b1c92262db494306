import stat
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command
from threadline.app.configure.compile import FILE_NAME
from threadline.cli import explain, state, version
from threadline.core.errors import StoreUnavailable


def test_help_names_every_command(threadline: Command) -> None:
    """Without a word the command tells what there is."""
    ended = threadline()
    assert ended.code == 0
    words = ["serve", "config", "secrets", "admit", "pause", "resume", "explain", "replay", "event"]
    assert [word for word in words if f"\n    {word} " not in ended.out] == []


def test_version(threadline: Command) -> None:
    """The version is one line."""
    assert threadline("version").out.startswith("threadline 0.")


@pytest.mark.parametrize("words", [["nonsense"], ["config"], ["secrets", "set"], ["admit"]])
def test_wrong_words_are_told(threadline: Command, words: list[str]) -> None:
    """A word that is missing or unknown gives the usage and exit code 2."""
    ended = threadline(*words)
    assert ended.code == 2
    assert ended.err.startswith("usage: threadline")


def test_a_fault_of_ours_is_one_line_and_a_file(
    threadline: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error nobody foresaw shows no stack trace; its details lie where only the owner reads."""

    def broken(_: object) -> int:
        raise KeyError("surprise")

    monkeypatch.setattr(version, "run", broken)
    (folder / ".threadline").mkdir()
    ended = threadline("version")
    report = folder / ".threadline/internal-error.txt"
    assert (ended.code, ended.out) == (70, "")
    assert ended.err == f"threadline: internal error KeyError (details in {report})\n"
    assert "surprise" in report.read_text()
    assert stat.S_IMODE(report.stat().st_mode) == 0o600


def test_without_a_state_folder_the_details_lie_elsewhere(
    threadline: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fault in a folder that is not ours leaves nothing in it."""
    monkeypatch.setattr("tempfile.tempdir", str(folder.parent))
    monkeypatch.setattr(version, "run", lambda _: 1 / 0)
    ended = threadline("version")
    path = ended.err.split("details in ")[1].rstrip(")\n")
    assert "ZeroDivisionError" in Path(path).read_text()
    assert list(folder.iterdir()) == []


def test_an_error_of_threadline_is_its_message(
    threadline: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What Threadline itself reports is one line and exit code 1."""

    def unavailable(_: object) -> int:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(explain, "run", unavailable)
    ended = threadline("explain", "x")
    assert (ended.code, ended.err) == (1, "threadline: the disk is full\n")


def test_an_interrupted_command_says_nothing(
    threadline: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends a command with the exit code of an interrupt."""

    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(version, "run", interrupted)
    ended = threadline("version")
    assert (ended.code, ended.out, ended.err) == (130, "", "")


def test_commands_and_serve_share_one_place() -> None:
    """What one command stores, the running process reads."""
    assert state.FILE == FILE_NAME
