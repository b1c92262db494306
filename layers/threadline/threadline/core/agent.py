"""What an agent is: flows to start, find, read and stop runs, and a decoder of its stream."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Protocol, runtime_checkable

from threadline.core.command import Command
from threadline.core.http import BlobRef, Flow, HttpRequest
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import JsonObject


class RunStatus(StrEnum):
    """Where a run stands; `INTERRUPTED` was cancelled, `MISSING` is unknown to the agent."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCESS = "success"
    ERROR = "error"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    MISSING = "missing"

    @property
    def over(self) -> bool:
        """Whether nothing more will come of the run."""
        return self not in {RunStatus.PENDING, RunStatus.RUNNING}


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the person's, already in the blob store; `link` is a time-limited address or ""."""

    name: str
    mime: str
    blob: BlobRef
    image: bool = False
    link: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class InlineImage:
    """Bytes of an image to go into the message itself."""

    mime: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the agent reads: text, images within the limit, other files as links in the text."""

    text: str
    images: tuple[InlineImage, ...] = ()
    files: tuple[StoredFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """One run to create. `turn` travels as Idempotency-Key and as `metadata.turn_id`.

    `labels` go into the run's metadata beside it. `new_thread`: create the thread first, with
    `origin` (provider, chat and topic) as its `channel_source`. `answers`: the prompt answers
    the question the thread waits with. `webhook` is the address to call at the end, or "".
    `order`: the message was this command, and the prompt holds its argument alone.
    """

    thread: ThreadId
    turn: TurnId
    owner: OwnerId
    prompt: Prompt
    assistant: str
    new_thread: bool
    origin: Mapping[str, str]
    labels: Mapping[str, str] = field(default_factory=dict)
    config: JsonObject = field(default_factory=dict)
    context: JsonObject = field(default_factory=dict)
    answers: bool = False
    webhook: str = ""
    order: Command | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """The runs of a thread, newest first, as seen from one turn."""

    ours: tuple[tuple[RunId, RunStatus], ...]
    foreign_active: RunId | None


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file the agent presented: `path` is the agent's own, `name` for people."""

    path: str
    name: str
    mime: str = "application/octet-stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a run ended, read from the run and its thread's state, never from the stream alone.

    `error` is for the operator, not for the chat. `question` is set where the agent asked.
    """

    status: RunStatus
    text: str = ""
    question: str = ""
    options: tuple[str, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More assistant text under one message id; another id replaces what is shown.

    `whole`: the text is the message so far rather than an addition.
    """

    message: str
    text: str
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Progress:
    """Something visible happens that is not text (a tool by name)."""

    label: str


@dataclass(frozen=True, slots=True)
class StreamGap:
    """Events were lost: what is visible can no longer be continued, only replaced at the end."""


@dataclass(frozen=True, slots=True)
class StreamFailed:
    """The stream itself reports an error; the run's status decides what it means."""

    error: str


@dataclass(frozen=True, slots=True)
class StreamEnded:
    """The agent said that the stream is complete."""


type AgentEvent = TextDelta | Progress | StreamGap | StreamFailed | StreamEnded


class StreamDecoder(Protocol):
    """Turns bytes of a run's stream into events."""

    @property
    def cursor(self) -> str:
        """The id to resume after, "" where the agent gave none."""
        ...

    def feed(self, chunk: bytes) -> tuple[AgentEvent, ...]:
        """Take the next bytes, cut anywhere; never raises for any bytes."""
        ...


@dataclass(frozen=True, slots=True)
class AgentAccess:
    """Where an agent is and the key it wants; headers are never shown.

    `event_streaming`: its runs are to tell their text as events, where the dialect knows them.
    """

    url: str
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    event_streaming: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTraits:
    """What a dialect can do. `commands` are those it answers; the others are "not offered".

    `lists_all`: `assistants` names every one that a run may be created with, ids aside.
    """

    commands: frozenset[str] = frozenset()
    callbacks: bool = False
    lists_all: bool = False


class Agent(Protocol):
    """One dialect of the LangGraph API; every method is a flow and raises AgentError."""

    dialect: ClassVar[str]
    traits: ClassVar[AgentTraits]

    def start(self, request: RunRequest, access: AgentAccess) -> Flow[RunId]:
        """Create the run: at most two requests with a new thread or an answer, else one.

        Raises AgentBusy, AgentUnavailable (certainly not created), AgentUnknown (perhaps
        created), AgentRejected, ThreadMissing.
        """
        ...

    def find(
        self, thread: ThreadId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Found]:
        """List the thread's runs and tell ours (by turn id) from a foreign active one."""
        ...

    def status(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[RunStatus]:
        """Read where a run stands."""
        ...

    def outcome(
        self, thread: ThreadId, run: RunId, turn: TurnId, owner: OwnerId, access: AgentAccess
    ) -> Flow[Outcome]:
        """Read how an ended run ended: status, final text, question, artifacts of this run only."""
        ...

    def cancel(
        self, thread: ThreadId, run: RunId, owner: OwnerId, access: AgentAccess
    ) -> Flow[None]:
        """Stop a run; one that already ended is success."""
        ...

    def follow(
        self, thread: ThreadId, run: RunId, cursor: str, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest:
        """Give the request that opens the run's event stream after `cursor`."""
        ...

    def decoder(self, cursor: str) -> StreamDecoder:
        """Give a fresh decoder of that stream."""
        ...

    def command(self, name: str, owner: OwnerId, access: AgentAccess) -> Flow[str]:
        """Answer `/models` or `/memory` in Markdown, at any time. Raises NotOffered."""
        ...

    def assistants(self, access: AgentAccess) -> Flow[tuple[str, ...]]:
        """List the assistants (graphs) an agent offers, by the name a run is created with."""
        ...

    def attach(
        self, thread: ThreadId, file: StoredFile, owner: OwnerId, access: AgentAccess
    ) -> Flow[StoredFile]:
        """Hand a stored file to the agent where it takes uploads; others return it unchanged."""
        ...

    def download(
        self, thread: ThreadId, artifact: Artifact, owner: OwnerId, access: AgentAccess
    ) -> HttpRequest | None:
        """Give the request that reads an artifact, or None where the agent serves none."""
        ...


@runtime_checkable
class Obeys(Agent, Protocol):
    """Takes commands that change a thread: each has a turn of its own, when nothing runs there."""

    def obey(self, request: RunRequest, access: AgentAccess) -> Flow[str]:
        """Do what the request's order wants before its run, the thread made where it is new.

        Gives "" where the run is to follow, else the Markdown that answers the order. Doing it
        again does no harm. Raises NotOffered, and what `start` raises.
        """
        ...


@dataclass(frozen=True, slots=True)
class Met:
    """Which server answers, in a few words or ""; what to do where it lacks what we ask of it."""

    server: str
    remedy: str = ""


@runtime_checkable
class Probes(Agent, Protocol):
    """Can tell which server it meets."""

    def probe(self, access: AgentAccess) -> Flow[Met]:
        """Find out which server answers there. Raises AgentError."""
        ...
