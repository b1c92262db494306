"""Run a program that must end with whoever started it, even if that one is killed.

`python watchdog.py LOGFILE PROGRAM ARGUMENT…`, with standard input held open by the owner: when it
closes, for whatever reason, the program's whole process group is ended. What the program prints
goes to LOGFILE and one older file beside it. Run as a script, so it imports nothing of Threadline.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO, Final

LOG_BYTES: Final = 5_000_000
GRACE: Final = 8.0
"""Seconds between asking the program to end and ending it."""


def main() -> None:
    """Start the program and end with it, or with the owner."""
    log, command = Path(sys.argv[1]), sys.argv[2:]
    program = subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # only now, or the program would inherit it
    threading.Thread(target=end_with_owner, args=(program,), daemon=True).start()
    assert program.stdout is not None
    copy(program.stdout, log)
    sys.exit(program.wait())


def end_with_owner(program: subprocess.Popen[bytes]) -> None:
    """Wait until the owner's end of standard input closes, then end the group."""
    while os.read(0, 1024):
        pass
    program.send_signal(signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while program.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(os.getpgrp(), signal.SIGKILL)


def copy(source: IO[bytes], log: Path) -> None:
    """Copy what the program prints, never more than two files of the limit."""
    size = log.stat().st_size if log.exists() else 0
    for line in iter(lambda: source.readline(65_536), b""):
        with contextlib.suppress(OSError):  # a full disk must not stop the program
            if size > LOG_BYTES:
                log.replace(log.with_name(log.name + ".1"))
                size = 0
            with log.open("ab") as file:
                size += file.write(line)


if __name__ == "__main__":
    main()
