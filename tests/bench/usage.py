"""What a process spends, as it sees itself; and how many streams a crowd has open.

The standard library only: peers use it from another environment.
"""

import asyncio
import json
import os
import resource
from pathlib import Path
from urllib.request import urlopen

PAGE = resource.getpagesize()


def cpu() -> float:
    """Give the CPU seconds spent so far, in user and system."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime


def cpu_of(process: int) -> float:
    """Give the CPU seconds that another process has spent so far, by its id.

    https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    """
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss() -> float:
    """Give the kilobytes that are in memory now."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * PAGE / 1000


async def opened(url: str, number: int) -> None:
    """Wait until that many streams are open."""

    def ask() -> int:
        with urlopen(f"{url}/crowd", timeout=30) as answer:
            return int(json.load(answer)["open"])

    while await asyncio.to_thread(ask) < number:  # noqa: ASYNC110 - the crowd is another process
        await asyncio.sleep(0.2)
