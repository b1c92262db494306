"""An agent's thread as an operator is shown it."""

from collections.abc import Mapping
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
class DeletesThreads(Agent, Protocol):
    """Can find and delete threads. Both flows raise AgentError."""

    def threads_of(
        self, origin: Mapping[str, str], owner: OwnerId, access: AgentAccess
    ) -> Flow[tuple[ThreadId, ...]]:
        """Find the threads that were created with this origin and no other."""
        ...

    def delete(self, thread: ThreadId, owner: OwnerId, access: AgentAccess) -> Flow[bool]:
        """Delete a thread; False where the agent knows none such. Raises AgentBusy during a run."""
        ...


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
