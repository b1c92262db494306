"""Follow the runs of a crowd with langgraph_sdk, its limit of connections lifted, and do no more.

Words: the crowd's address, how many runs at first and in the end.
"""

import asyncio
import json
import sys
import time

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamMode

from tests.bench.usage import cpu, opened, rss

MODES: tuple[StreamMode, ...] = ("messages-tuple", "custom")
SETTLED = 3.0
MEASURED = 15.0


async def follow(url: str, first: int, last: int) -> None:
    """Follow, measure and print."""
    patience = httpx.Timeout(connect=30, read=300, write=300, pool=300)
    unlimited = httpx.Limits(max_connections=None)
    http = httpx.AsyncClient(base_url=url, limits=unlimited, timeout=patience)
    client = LangGraphClient(http)

    async def one(number: int) -> None:
        run, text = f"00000000-0000-4000-8000-{number:012d}", ""
        stream = client.runs.join_stream(run, run, last_event_id="-1", stream_mode=MODES)
        async for part in stream:
            if part.event == "messages":
                text += part.data[0]["content"]

    async with asyncio.TaskGroup() as runs:
        tasks = [runs.create_task(one(number)) for number in range(first)]
        await opened(url, first)
        await asyncio.sleep(SETTLED)
        before = rss()
        tasks += [runs.create_task(one(number)) for number in range(first, last)]
        await opened(url, last)
        await asyncio.sleep(SETTLED)
        spent, begun = cpu(), time.monotonic()
        await asyncio.sleep(MEASURED)
        events = last * (time.monotonic() - begun)
        told = {"event": (cpu() - spent) / events * 1e6, "run": (rss() - before) / (last - first)}
        print(json.dumps(told), flush=True)
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(follow(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
