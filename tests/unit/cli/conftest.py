import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from threadline.backends.clock import SystemClock
from threadline.backends.files import FileSecrets
from threadline.cli.main import main


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


class Terminal(io.StringIO):
    """Standard input where a person sits."""

    def isatty(self) -> bool:
        """Say that it is a terminal."""
        return True


type Command = Callable[..., Ended]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty working directory, with nothing of ours in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("THREADLINE_AGENT_URL", "THREADLINE_PUBLIC_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["/nowhere/bin/pytest"])
    return tmp_path


@pytest.fixture
def threadline(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Run the command there."""
    assert folder.is_dir()
    return command(monkeypatch, capsys)


def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Give the command; `stdin` is what is piped into it, unless it is a `terminal`."""

    def run(*words: str, stdin: str = "", terminal: bool = False) -> Ended:
        monkeypatch.setattr(sys, "stdin", Terminal() if terminal else io.StringIO(stdin))
        capsys.readouterr()
        try:
            code = main(words)
        except SystemExit as stopped:
            code = int(str(stopped.code))
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    return run


@pytest.fixture
def stored(folder: Path) -> Callable[[str], Mapping[str, str]]:
    """Read an entry of the secrets as another process would."""
    path = folder / ".threadline/secrets.json"
    return lambda entry: FileSecrets(path, SystemClock()).get(entry)
