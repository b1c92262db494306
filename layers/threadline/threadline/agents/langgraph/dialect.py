"""LangGraph as an agent: which flow answers which question."""

from collections.abc import Mapping
from typing import ClassVar, override

from threadline.agents.answers import content
from threadline.agents.blocks import BlockDecoder
from threadline.agents.langgraph import ending, probe, requests, runs, starting, threads
from threadline.agents.shapes import items, mapping, string
from threadline.core.agent import (
    AgentAccess,
    AgentTraits,
    Artifact,
    Found,
    Met,
    Outcome,
    Probes,
    RunRequest,
    RunStatus,
    StoredFile,
    StreamDecoder,
)
from threadline.core.errors import NotOffered
from threadline.core.http import Flow, HttpRequest, ask
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import Json
from threadline.core.thread import DeletesThreads, RunSeen, ShowsThreads, ThreadSeen


class LangGraph(Probes, ShowsThreads, DeletesThreads):
    """LangGraph Server and Platform. The owner plays no part: one key sees every thread."""

    dialect: ClassVar[str] = "langgraph"
    traits: ClassVar[AgentTraits] = AgentTraits(callbacks=True, lists_all=True)

    @override
    def start(self, request: RunRequest, access: AgentAccess) -> Flow[RunId]:
        return starting.start(request, access)

    @override
    def find(
        self, thread: ThreadId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Found]:
        return runs.find(thread, turn, access)

    @override
    def status(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[RunStatus]:
        return runs.status(thread, run, access)

    @override
    def outcome(
        self, thread: ThreadId, run: RunId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Outcome]:
        return ending.outcome(thread, run, turn, access)

    @override
    def cancel(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[None]:
        return runs.cancel(thread, run, access)

    @override
    def follow(
        self, thread: ThreadId, run: RunId, cursor: str, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest:
        return requests.follow_run(thread, run, cursor, access)

    @override
    def decoder(self, cursor: str) -> StreamDecoder:
        return BlockDecoder(cursor)

    @override
    def command(self, name: str, owner: OwnerId, access: AgentAccess) -> Flow[str]:
        """Refuse every command: a LangGraph Server has no such routes."""
        yield from ()
        raise NotOffered(f"a LangGraph Server has no /{name}")

    @override
    def assistants(self, access: AgentAccess) -> Flow[tuple[str, ...]]:
        """List graphs by name and assistants that somebody made of them by id."""
        call = requests.search_assistants(access)
        found = items(content(call.label, (yield from ask(call))))
        return tuple(dict.fromkeys(name for name in map(_name_of, found) if name))

    @override
    def probe(self, access: AgentAccess) -> Flow[Met]:
        return probe.probe(access)

    @override
    def attach(
        self, thread: ThreadId, file: StoredFile, owner: OwnerId, access: AgentAccess
    ) -> Flow[StoredFile]:
        yield from ()
        return file

    @override
    def download(
        self, thread: ThreadId, artifact: Artifact, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest | None:
        return None

    @override
    def runs(
        self, thread: ThreadId, owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[RunSeen, ...]]:
        return threads.runs(thread, access)

    @override
    def seen(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[ThreadSeen]:
        return threads.seen(thread, access)

    @override
    def threads_of(
        self, origin: Mapping[str, str], owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[ThreadId, ...]]:
        return threads.threads_of(origin, access)

    @override
    def delete(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[bool]:
        return threads.delete(thread, access)


def _name_of(assistant: Json) -> str:
    """The server itself makes one assistant of every graph, which goes by the graph's name."""
    fields = mapping(assistant)
    made_by_server = mapping(fields.get("metadata")).get("created_by") == "system"
    return string(fields.get("graph_id" if made_by_server else "assistant_id"))
