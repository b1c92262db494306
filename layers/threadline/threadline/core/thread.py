"""An agent's thread as an operator is shown it."""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from threadline.core.agent import Agent, AgentAccess, RunStatus
from threadline.core.http import Flow
from threadline.core.ids import OwnerId, RunId, ThreadId


@dataclass(frozen=True, slots=True)
class RunSeen:
    """A run in a list; `turn` is "" where Threadline did not make it, `made_at` 0 if unknown."""

    id: RunId
    status: RunStatus
    turn: str = ""
    made_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a thread: who says it (`human`, `ai`, `tool` …), its text, tools it calls.

    `hidden`: it is meant for the model alone.
    """

    kind: str
    text: str
    tools: tuple[str, ...] = ()
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class ThreadSeen:
    """What a thread holds: its messages, oldest first, the nodes that come next, its question."""

    messages: tuple[Said, ...]
    following: tuple[str, ...] = ()
    question: str = ""


@runtime_checkable
class ShowsThreads(Agent, Protocol):
    """Can show its threads. Both flows raise AgentError, ThreadMissing for an unknown thread.

    An agent that does not tell an unknown thread from one without runs lists none.
    """

    def runs(
        self, thread: ThreadId, owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[RunSeen, ...]]:
        """List the thread's latest runs, newest first."""
        ...

    def seen(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[ThreadSeen]:
        """Read what the thread holds now."""
        ...
