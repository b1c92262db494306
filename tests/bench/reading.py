"""Bytes read of an agent for a run of 1,000 words whose state ends at 200 KB."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path

from langgraph_sdk import get_client
from langgraph_sdk.schema import Config, StreamMode

from tests.bench.children import HERE
from tests.bench.counting import Counter, counting
from tests.bench.gates import Row
from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.langgraph_talk import Talk
from threadline.core.agent import RunStatus, TextDelta

MODES: list[StreamMode] = ["messages-tuple", "values"]
PROMISED = {10: 0.35, 40: 0.12, 120: 0.05}
GATEWAY = {10: 0.38}
SERVER = {10: 0.7, 40: 0.3, 120: 0.12}
"""Steps, and what is held where ours falls short of what is promised. Both sides read the words: a
Gateway writes 300 bytes for each, a LangGraph Server a kilobyte, mostly metadata that cannot be
refused.
"""


def reading() -> Iterator[Row]:
    """Tokens and one state against tokens and the state after every step."""
    with (
        tempfile.TemporaryDirectory() as folder,
        agent_server(Path(folder) / "agent", source=HERE / "graph") as server,
    ):
        for trims, held in ((True, GATEWAY), (False, SERVER)):
            whose = "a Gateway's frames" if trims else "a LangGraph Server's frames"
            for steps, promised in PROMISED.items():
                ours = _ours(server, Path(folder), steps, trims=trims)
                peer = _peer(server, steps, trims=trims)
                what = f"{steps} steps, {whose}"
                yield Row(what, ours, peer, "KB", promised, held.get(steps))


def _ours(server: AgentServer, folder: Path, steps: int, *, trims: bool) -> float:
    """Follow a run as watch does: its stream, its status, how it ended."""
    with counting(server.url, trims=trims) as counter:
        talk = Talk.open(counter.url, folder)
        talk.config = {"recursion_limit": 1000}
        turn, run = talk.start(str(steps), assistant="steps")
        before = counter.read
        events = talk.follow(run)
        outcome = talk.ended(turn, run)
        talk.close()
    assert sum(isinstance(event, TextDelta) for event in events) >= 1000
    assert (outcome.status, outcome.text[-8:]) == (RunStatus.SUCCESS, "word999 ")
    return (counter.read - before) / 1000


def _peer(server: AgentServer, steps: int, *, trims: bool) -> float:
    """Read the two modes that the usual client asks for."""

    async def read(counter: Counter) -> str:
        client = get_client(url=counter.url, api_key=None)
        thread = (await client.threads.create())["thread_id"]
        counter.read = 0
        last = ""
        async for part in client.runs.stream(
            thread,
            "steps",
            input={"messages": str(steps)},
            stream_mode=MODES,
            config=Config(recursion_limit=1000),
        ):
            if part.event == "values":
                last = part.data["messages"][-1]["content"]
        return last

    with counting(server.url, trims=trims) as counter:
        assert asyncio.run(read(counter)).endswith("word999 ")
        return counter.read / 1000
