"""DeerFlow as an agent: which flow answers which question."""

from collections.abc import Mapping
from typing import ClassVar, override

from threadline.agents.deerflow import (
    commands,
    ending,
    files,
    probe,
    requests,
    runs,
    starting,
    threads,
)
from threadline.agents.deerflow.caller import Caller, on_behalf
from threadline.agents.deerflow.stream import ReplayDecoder
from threadline.core.agent import (
    AgentAccess,
    AgentTraits,
    Artifact,
    Found,
    Met,
    Obeys,
    Outcome,
    Probes,
    RunRequest,
    RunStatus,
    StoredFile,
    StreamDecoder,
)
from threadline.core.http import Flow, HttpRequest
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.thread import DeletesThreads, RunSeen, ShowsThreads, ThreadSeen


class DeerFlow(Obeys, Probes, ShowsThreads, DeletesThreads):
    """DeerFlow's Gateway, its older servers and its newer ones. Every thread has an owner."""

    dialect: ClassVar[str] = "deerflow"
    traits: ClassVar[AgentTraits] = AgentTraits(commands=commands.OFFERED)

    @override
    def start(self, request: RunRequest, access: AgentAccess) -> Flow[RunId]:
        return starting.start(request, on_behalf(request.owner, access))

    @override
    def find(
        self, thread: ThreadId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Found]:
        return runs.find(thread, turn, on_behalf(owner, access))

    @override
    def status(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[RunStatus]:
        found = yield from runs.standing(thread, run, on_behalf(owner, access))
        return found.status

    @override
    def outcome(
        self, thread: ThreadId, run: RunId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Outcome]:
        return ending.outcome(thread, run, turn, on_behalf(owner, access))

    @override
    def cancel(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[None]:
        return runs.cancel(thread, run, on_behalf(owner, access))

    @override
    def follow(
        self, thread: ThreadId, run: RunId, cursor: str, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest:
        return requests.follow_run(thread, run, cursor, on_behalf(owner, access))

    @override
    def decoder(self, cursor: str) -> StreamDecoder:
        return ReplayDecoder(cursor)

    @override
    def command(self, name: str, owner: OwnerId, access: AgentAccess) -> Flow[str]:
        return commands.command(name, on_behalf(owner, access))

    @override
    def obey(self, request: RunRequest, access: AgentAccess) -> Flow[str]:
        return commands.obey(request, on_behalf(request.owner, access))

    @override
    def assistants(self, access: AgentAccess) -> Flow[tuple[str, ...]]:
        return probe.assistants(Caller(access))

    @override
    def attach(
        self, thread: ThreadId, file: StoredFile, owner: OwnerId, access: AgentAccess
    ) -> Flow[StoredFile]:
        return files.attach(thread, file, on_behalf(owner, access))

    @override
    def download(
        self, thread: ThreadId, artifact: Artifact, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest | None:
        return files.download(thread, artifact, on_behalf(owner, access))

    @override
    def probe(self, access: AgentAccess) -> Flow[Met]:
        return Met(str((yield from probe.probe(Caller(access)))))

    @override
    def runs(
        self, thread: ThreadId, owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[RunSeen, ...]]:
        return threads.runs(thread, on_behalf(owner, access))

    @override
    def seen(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[ThreadSeen]:
        return threads.seen(thread, on_behalf(owner, access))

    @override
    def threads_of(
        self, origin: Mapping[str, str], owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[ThreadId, ...]]:
        return threads.threads_of(origin, on_behalf(owner, access))

    @override
    def delete(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[bool]:
        return threads.delete(thread, on_behalf(owner, access))
