"""Create runs on a known thread with langgraph_sdk; tell what two calls cost in CPU.

Words: the agent's address, how many pairs of calls.
"""

import asyncio
import json
import sys
import time
from typing import Any

from langgraph_sdk import get_client
from langgraph_sdk.schema import StreamMode

WARM = 50
MODES: list[StreamMode] = ["messages-tuple", "custom"]
INPUT: dict[str, Any] = {
    "messages": [
        {
            "role": "user", "content": "What became of the order that I placed last week?",
            "id": "turn-fd41950f89464c9aaa7bc761128fc22f",
        }
    ]
}  # fmt: skip


async def create(url: str, number: int) -> None:
    """Create, measure and print."""
    client = get_client(url=url, api_key=None)
    thread = (await client.threads.create())["thread_id"]

    async def pair() -> None:
        for _ in range(2):
            await client.runs.create(
                thread, "demo", input=INPUT, multitask_strategy="reject", stream_mode=MODES,
                stream_resumable=True,
            )  # fmt: skip

    for _ in range(WARM):
        await pair()
    begun = time.process_time()
    for _ in range(number):
        await pair()
    spent = time.process_time() - begun
    print(json.dumps({"message": spent / number * 1e3}), flush=True)


if __name__ == "__main__":
    asyncio.run(create(sys.argv[1], int(sys.argv[2])))
