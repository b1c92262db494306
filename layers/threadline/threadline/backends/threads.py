"""Threads that do blocking work for a loop, and how many connections a process may hold."""

import asyncio
import resource
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final

ENOUGH: Final = 65_536
MODEST: Final = 10_240
"""What a process may open where the system names no limit but has one (macOS)."""


class Threads:
    """Runs blocking work beside the loop, in at most `number` threads; more work waits its turn."""

    def __init__(self, number: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(number, thread_name_prefix=name)

    async def __call__[T](self, work: Callable[[], T], /) -> T:
        """Give what the work returns; raise what it raises."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Let the threads end once their work is done. Returns at once."""
        self._pool.shutdown(wait=False)


def raise_descriptors() -> int:
    """Let this process open as many files and connections as its hard limit allows; give how many.

    https://docs.python.org/3/library/resource.html#resource.RLIMIT_NOFILE
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for wanted in (ENOUGH, MODEST):
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
                return most
    return ENOUGH if soft == resource.RLIM_INFINITY else soft
