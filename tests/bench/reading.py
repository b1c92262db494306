"""Bytes read of an agent for a run of 1,000 words whose state ends at 200 KB."""

import asyncio
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Told:
    """How a run's words are told, and what is held where ours falls short of what is promised.

    By steps. Both sides read the words, unless ours has them told as events: a Gateway writes 300
    bytes for each, a LangGraph Server a kilobyte, mostly metadata of the run.
    """

    how: str
    held: Mapping[int, float]
    trims: bool = False
    events: bool = False


WAYS = (
    Told("a LangGraph Server's events", {}, events=True),
    Told("a LangGraph Server's tokens", {10: 0.7, 40: 0.3, 120: 0.12}),
    Told("tokens as short as a Gateway's", {10: 0.38}, trims=True),
)


def reading() -> Iterator[Row]:
    """Tokens and one state against tokens and the state after every step."""
    with (
        tempfile.TemporaryDirectory() as folder,
        agent_server(Path(folder) / "agent", source=HERE / "graph") as server,
    ):
        for told in WAYS:
            for steps, promised in PROMISED.items():
                ours = _ours(server, Path(folder), steps, told)
                peer = _peer(server, steps, trims=told.trims)
                what = f"{steps} steps, {told.how}"
                yield Row(what, ours, peer, "KB", promised, told.held.get(steps))


def _ours(server: AgentServer, folder: Path, steps: int, told: Told) -> float:
    """Follow a run as watch does: its stream, its status, how it ended."""
    with counting(server.url, trims=told.trims) as counter:
        talk = Talk.open(counter.url, folder)
        talk.event_streaming = told.events
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
