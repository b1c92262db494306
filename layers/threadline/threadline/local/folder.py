"""The state folder: who may read it, who runs on it, and where that one can be reached."""

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from threadline.core.errors import ThreadlineError

REPORT: Final = "internal-error.txt"
"""Where the command leaves the details of a fault of its own."""


class FolderTaken(ThreadlineError):
    """Another `serve` runs on this folder."""


class NothingHere(ThreadlineError):
    """No `serve` ever ran on this folder."""


@dataclass(frozen=True, slots=True)
class Serving:
    """A running `serve`: its process and the address of its front door."""

    pid: int
    url: str
    started_at: float


@dataclass(frozen=True, slots=True)
class StateFolder:
    """`.threadline/` of a working directory; only its owner may look inside."""

    path: Path

    @property
    def logs(self) -> Path:
        """Where the JSON lines are."""
        return self.path / "log"

    @property
    def agent_log(self) -> Path:
        """What the demo agent printed."""
        return self.path / "agent.log"

    @property
    def agent(self) -> Path:
        """Where the demo agent runs and keeps its state."""
        return self.path / "agent"

    def must_exist(self) -> None:
        """Raise NothingHere where `serve` never ran, so that a look makes no folder."""
        if not self.path.is_dir():
            raise NothingHere(
                f"{self.path} is not there: Threadline was never started in this folder"
            )

    def prepare(self) -> None:
        """Make the folder, for its owner alone."""
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path.chmod(0o700)

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Hold the folder for this process. Raises FolderTaken.

        The system lets go of the lock when the process ends, however it ends.
        """
        with (self.path / "lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise FolderTaken(self._who_holds_it()) from None
            yield

    def announce(self, serving: Serving) -> None:
        """Write down where the front door is, for `threadline replay` and for people."""
        fresh = self.path / "serve.json.new"
        fresh.write_text(json.dumps(asdict(serving)), encoding="utf-8")
        fresh.replace(self.path / "serve.json")

    def withdraw(self) -> None:
        """Take the announcement back."""
        (self.path / "serve.json").unlink(missing_ok=True)

    def serving(self) -> Serving | None:
        """Read who runs on this folder; None where nobody does, or did and was killed."""
        if not self._held():
            return None
        try:
            told = json.loads((self.path / "serve.json").read_text(encoding="utf-8"))
            return Serving(int(told["pid"]), str(told["url"]), float(told["started_at"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _held(self) -> bool:
        try:
            with (self.path / "lock").open("a") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            return False
        return False

    def _who_holds_it(self) -> str:
        serving = self.serving()
        who = f"process {serving.pid}, {serving.url}" if serving else "just starting"
        return f"Threadline already runs on {self.path} ({who}); stop it first"
