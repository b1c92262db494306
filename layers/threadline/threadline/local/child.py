"""A program under the watchdog, as `serve` holds it."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from threadline.local import watchdog


@dataclass(frozen=True, slots=True)
class Child:
    """A running program; it ends when this process does, however that happens."""

    process: asyncio.subprocess.Process

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: Path, environ: Mapping[str, str], log: Path
    ) -> "Child":
        """Start the program in a process group of its own, so that Ctrl-C reaches only us.

        `log` is absolute.
        """
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-S", watchdog.__file__, str(log), *command,
            cwd=cwd, env=environ, stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        return cls(process)

    @property
    def running(self) -> bool:
        """Whether the program has not ended yet."""
        return self.process.returncode is None

    async def ended(self) -> int:
        """Wait until the program ends; give its exit status."""
        status = await self.process.wait()
        with contextlib.suppress(ProcessLookupError):  # the rest of its group, should any be left
            os.killpg(self.process.pid, signal.SIGKILL)
        return status

    async def stop(self) -> None:
        """Ask the program to end, and wait until it has."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        await self.ended()
