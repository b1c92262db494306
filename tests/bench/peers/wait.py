"""Create runs with langgraph_sdk and wait for each: a loop, a figure for every line of input.

Words: the agent's address. A line of input is the seconds to go on for; it tells the milliseconds
of a run in wall clock and in CPU.
"""

import asyncio
import json
import sys
import time
from typing import Any

from langgraph_sdk import get_client

TEXT = "What became of the order that I placed last week?"
INPUT: dict[str, Any] = {"messages": [{"role": "user", "content": TEXT}]}


async def loop(url: str) -> None:
    """Create, wait, and print what it took."""
    client = get_client(url=url, api_key=None)
    thread = (await client.threads.create())["thread_id"]
    for line in sys.stdin:
        number, begun, spent = 0, time.monotonic(), time.process_time()
        while time.monotonic() - begun < float(line):
            run = await client.runs.create(thread, "demo", input=INPUT)
            await client.runs.join(thread, run["run_id"])
            number += 1
        took, spent = time.monotonic() - begun, time.process_time() - spent
        print(json.dumps({"message": took / number * 1e3, "cpu": spent / number * 1e3}), flush=True)


if __name__ == "__main__":
    asyncio.run(loop(sys.argv[1]))
