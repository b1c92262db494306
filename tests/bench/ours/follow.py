"""Follow the runs of a crowd as the long-running task does; tell what a run costs.

Words: the crowd's address, the state folder, how many runs there are at first and in the end.
"""

import asyncio
import json
import sys
import time

from long_running import main
from tests.bench.usage import cpu, opened, rss

SETTLED = 3.0
MEASURED = 15.0


async def follow(url: str, folder: str, first: int, last: int) -> None:
    """Follow, measure and print."""
    stop = asyncio.Event()
    environ = {
        "THREADLINE_STATE_FOLDER": folder, "THREADLINE_WATCH_HOST": "task",
        "THREADLINE_HEALTH": "127.0.0.1:0",
    }  # fmt: skip
    task = asyncio.create_task(main.run(environ, stop))
    await opened(url, first)
    await asyncio.sleep(SETTLED)
    before = rss()
    print("more", flush=True)
    await opened(url, last)
    await asyncio.sleep(SETTLED)
    spent, begun = cpu(), time.monotonic()
    await asyncio.sleep(MEASURED)
    events = last * (time.monotonic() - begun)
    told = {"event": (cpu() - spent) / events * 1e6, "run": (rss() - before) / (last - first)}
    stop.set()
    await task
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    asyncio.run(follow(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
