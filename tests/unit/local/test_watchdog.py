import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from threadline.local import watchdog

PROGRAM = """
import os, subprocess, sys, time
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), grandchild.pid, flush=True)
time.sleep(600)
"""
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n" + PROGRAM
OWNER = """
import subprocess, sys
child = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE,
                         start_new_session=True)
print(child.pid, flush=True)
sys.stdin.read()
child.stdin.close()
child.wait()
"""


def owner(log: Path, program: str) -> subprocess.Popen[str]:
    """Start a process that runs the program under the watchdog."""
    return subprocess.Popen(
        [sys.executable, "-c", OWNER, watchdog.__file__, str(log), sys.executable, "-c", program],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def until(true: Callable[[], object]) -> None:
    """Wait until it is so, for a minute at most."""
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def printed(log: Path) -> list[int]:
    """Give the process ids that the program printed."""
    until(lambda: log.exists() and log.read_text().count("\n") >= 1)
    return [int(word) for word in log.read_text().split()]


def is_gone(pid: int) -> bool:
    """Tell whether a process ended; one that nobody waited for yet counts."""
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return True
    return state == "Z"


def test_a_program_ends_when_its_owner_is_killed(tmp_path: Path) -> None:
    """After kill -9 of the owner neither the program nor what it started is left."""
    with owner(tmp_path / "log", PROGRAM) as killed:
        pids = printed(tmp_path / "log")
        killed.kill()
    for pid in pids:
        until(lambda pid=pid: is_gone(pid))  # type: ignore[misc]


def test_a_program_that_will_not_end_is_ended(tmp_path: Path) -> None:
    """A program that ignores being asked is ended after the grace."""
    with owner(tmp_path / "log", STUBBORN) as killed:
        pids = printed(tmp_path / "log")
        killed.kill()
    for pid in pids:
        until(lambda pid=pid: is_gone(pid))  # type: ignore[misc]


def test_a_program_may_end_by_itself(tmp_path: Path) -> None:
    """What it printed is in the log and its status is passed on."""
    with subprocess.Popen(
        [sys.executable, watchdog.__file__, str(tmp_path / "log"), sys.executable, "-c",
         "import sys; print('bye'); sys.exit(3)"],
        stdin=subprocess.PIPE, start_new_session=True,
    ) as dog:  # fmt: skip
        assert dog.wait() == 3
    assert (tmp_path / "log").read_text() == "bye\n"


def test_the_log_of_a_program_is_bounded(tmp_path: Path) -> None:
    """A program that prints without end fills two files of the limit at most."""
    log = tmp_path / "log"
    with (tmp_path / "printed").open("wb") as file:
        file.write(b"x" * 99 + b"\n")
        file.writelines(b"y" * 999_999 + b"\n" for _ in range(13))
    with (tmp_path / "printed").open("rb") as file:
        watchdog.copy(file, log)
    sizes = [path.stat().st_size for path in (log, tmp_path / "log.1")]
    assert all(size <= watchdog.LOG_BYTES + 65_536 for size in sizes)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1", "printed"]


def test_a_full_disk_does_not_stop_a_program(tmp_path: Path) -> None:
    """What cannot be written is dropped, and the program is read on."""
    with (tmp_path / "printed").open("wb") as file:
        file.write(b"line\n" * 3)
    with (tmp_path / "printed").open("rb") as file:
        watchdog.copy(file, Path("/dev/full"))
        assert file.read() == b""


def test_the_watchdog_outlives_being_asked_to_end(tmp_path: Path) -> None:
    """A SIGTERM to the whole group ends the program, and the watchdog reports its end."""
    with subprocess.Popen(
        [sys.executable, watchdog.__file__, str(tmp_path / "log"), sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE, start_new_session=True,
    ) as dog:  # fmt: skip
        (program, _) = printed(tmp_path / "log")
        os.killpg(dog.pid, signal.SIGTERM)
        until(lambda: is_gone(program))
        assert dog.wait() == (-signal.SIGTERM) & 0xFF
