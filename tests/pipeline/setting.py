"""`threadline setup` as a person starts it: a process that prints, waits, and ends."""

import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.pipeline.serving import PATIENCE, PROGRAM, environ_of, until


@dataclass(slots=True)
class Setting:
    """A running `setup`; `said` is what it printed so far."""

    process: subprocess.Popen[str]
    said: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Write down what it prints until it ends."""
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            self.said.extend(lines)

    def says(self, *words: str) -> str:
        """Wait for a line with all the words."""

        def found() -> str:
            return next((one for one in self.said if all(word in one for word in words)), "")

        return until(found, lambda: f"{words} in:\n{''.join(self.said)}")

    @property
    def text(self) -> str:
        """Everything it printed so far."""
        return "".join(self.said)

    def ends(self) -> int:
        """Wait for its end."""
        return self.process.wait(PATIENCE)


@contextmanager
def setting(root: Path, *words: str, environ: Mapping[str, str] | None = None) -> Iterator[Setting]:
    """Run `threadline setup` for as long as the block lasts."""
    around = environ_of({**(environ or {}), "PYTHONUNBUFFERED": "1"})
    process = subprocess.Popen(
        [*PROGRAM, "setup", *words], cwd=root, env=around,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    run = Setting(process)
    listener = threading.Thread(target=run.listen, daemon=True)
    listener.start()
    try:
        yield run
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(PATIENCE)
        listener.join(PATIENCE)
