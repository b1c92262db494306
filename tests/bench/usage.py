"""What a process spends, as it sees itself; and how many streams a crowd has open.

The standard library only: peers use it from another environment.
"""

import asyncio
import json
import resource
from pathlib import Path
from urllib.request import urlopen

PAGE = resource.getpagesize()


def cpu() -> float:
    """Give the CPU seconds spent so far, in user and system."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return spent.ru_utime + spent.ru_stime


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
