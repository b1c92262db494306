"""A conversation with a real LangGraph Server, by the flows and drivers that ship."""

import asyncio
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from threadline.agents.langgraph import LangGraph
from threadline.backends.calls import Network
from threadline.backends.clock import SystemClock
from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.agent import (
    AgentAccess,
    AgentEvent,
    Outcome,
    Prompt,
    RunRequest,
    RunStatus,
)
from threadline.core.http import Flow
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import JsonObject
from threadline.core.policy import Policy, admitted, guarded

OWNER = OwnerId("alice")
ENDS_WITHIN = 60.0


@dataclass(slots=True)
class Talk:
    """One thread of the demo agent."""

    url: str
    blocking: BlockingHttp
    network: Network
    thread: ThreadId
    known: bool = False
    agent: LangGraph = field(default_factory=LangGraph)
    config: JsonObject = field(default_factory=dict)
    context: JsonObject = field(default_factory=dict)
    webhook: str = ""
    event_streaming: bool = False
    origin: Mapping[str, str] = field(
        default_factory=lambda: {"provider": "telegram", "chat_id": "7"}
    )

    @classmethod
    def open(cls, url: str, folder: Path) -> "Talk":
        """Begin on a thread that the server does not know yet."""
        blobs = FileBlobs(folder)
        blocking = BlockingHttp(blobs)
        network = Network(blocking, AsyncioHttp(blobs), SystemClock())
        return cls(url, blocking, network, ThreadId(str(uuid.uuid4())))

    def close(self) -> None:
        """Close the connections."""
        self.blocking.close()

    @property
    def access(self) -> AgentAccess:
        """Where the server is."""
        return AgentAccess(self.url, event_streaming=self.event_streaming)

    @property
    def policy(self) -> Policy:
        """The policy under which every flow runs."""
        return Policy(base_urls=(self.url,))

    def run[T](self, flow: Flow[T]) -> T:
        """Run a flow as the blocking use cases do."""
        return self.network.run(guarded(flow, self.policy))

    def start(
        self,
        prompt: str | Prompt,
        turn: str = "",
        *,
        assistant: str = "demo",
        answers: bool = False,
    ) -> tuple[TurnId, RunId]:
        """Create a run."""
        request = RunRequest(
            thread=self.thread,
            turn=TurnId(turn or f"turn-{uuid.uuid4().hex}"),
            owner=OWNER,
            prompt=Prompt(prompt) if isinstance(prompt, str) else prompt,
            assistant=assistant,
            new_thread=not self.known,
            origin=self.origin,
            config=self.config,
            context=self.context,
            webhook=self.webhook,
            labels={"conversation": "telegram/7"},
            answers=answers,
        )
        run = self.run(self.agent.start(request, self.access))
        self.known = True
        return request.turn, run

    def status(self, run: RunId) -> RunStatus:
        """Read where a run stands."""
        return self.run(self.agent.status(self.thread, run, OWNER, self.access))

    def outcome(self, turn: TurnId, run: RunId) -> Outcome:
        """Read how a run ended."""
        return self.run(self.agent.outcome(self.thread, run, turn, OWNER, self.access))

    def ended(self, turn: TurnId, run: RunId) -> Outcome:
        """Wait for a run to end and read how."""
        self.wait_until(lambda: self.status(run).over)
        return self.outcome(turn, run)

    def say(self, text: str) -> Outcome:
        """Create a run and read how it ended."""
        return self.ended(*self.start(text))

    def wait_until(self, reached: Callable[[], bool]) -> None:
        """Look again and again until something is so."""
        deadline = time.monotonic() + ENDS_WITHIN
        while not reached():
            assert time.monotonic() < deadline, "waited too long"
            time.sleep(0.05)

    def follow(self, run: RunId, cursor: str = "", most: int = 10_000) -> list[AgentEvent]:
        """Follow a run to the end of its stream, or for so many events."""
        return [event for event, _ in self.follow_with_cursors(run, cursor, most)]

    def follow_with_cursors(
        self, run: RunId, cursor: str = "", most: int = 10_000
    ) -> list[tuple[AgentEvent, str]]:
        """Follow a run in a loop of its own, for events with the cursor after each."""
        wanted = self.agent.follow(self.thread, run, cursor, OWNER, self.access)
        request, decoder = admitted(wanted, self.policy), self.agent.decoder(cursor)
        assert request is not None
        seen: list[tuple[AgentEvent, str]] = []

        def take(chunk: bytes) -> bool:
            events = decoder.feed(chunk)[: most - len(seen)]
            seen.extend((event, decoder.cursor) for event in events)
            return len(seen) == most

        async def collect() -> None:
            await self.network.listen(request, take)
            await self.network.close()

        asyncio.run(collect())
        return seen
