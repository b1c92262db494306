"""Everything a use case is given: ports, contracts, time and chance."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from threadline.app.pace import Paces
from threadline.core.agent import Agent
from threadline.core.http import Flow, HttpRequest, Take
from threadline.core.platform import Platform
from threadline.core.ports import Blobs, Clock, ItemStore, Queue, Secrets
from threadline.core.posting import Credentials
from threadline.core.settings import Settings


class Log(Protocol):
    """One structured line per event; ids and codes, never text of a message, never a secret."""

    def __call__(self, event: str, **fields: str | float | bool) -> None:
        """Write the line."""
        ...


class Calls(Protocol):
    """Runs flows against the network, blocking or in asyncio."""

    def run[T](self, flow: Flow[T]) -> T:
        """Drive a flow in a blocking use case."""
        ...

    async def arun[T](self, flow: Flow[T]) -> T:
        """Drive a flow in an asyncio use case."""
        ...

    async def listen(self, request: HttpRequest, take: Take) -> None:
        """Hand on what a stream brings, until it ends or `take` has enough.

        Raises AgentUnavailable, AgentUnknown, ThreadMissing and AgentRejected.
        """
        ...


@dataclass(frozen=True, slots=True)
class Queues:
    """The queues by name; `mailbox` is FIFO, the others standard."""

    mailbox: Queue
    runs: Queue
    timers: Queue
    outbox: Queue
    dead: Queue


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What the use cases need of the world.

    `random` gives fresh lower-case letters and digits. `holder` names this process. `platform` and
    `agent` find a codec by name, None where there is none. `assistants` remembers which assistant
    an agent without a configured one has, `tokens` what a platform exchanged its secrets for,
    `paces` how fast each chat may be written to, `unnoted` which mails failed in which try and why,
    where that could not be written down.
    """

    store: ItemStore
    queues: Queues
    blobs: Blobs
    secrets: Secrets
    clock: Clock
    settings: Callable[[], Settings]
    platform: Callable[[str], Platform | None]
    agent: Callable[[str], Agent | None]
    calls: Calls
    random: Callable[[], str]
    log: Log
    holder: str = "one"
    assistants: dict[str, str] = field(default_factory=dict)
    tokens: dict[str, Credentials] = field(default_factory=dict, repr=False)
    paces: Paces = field(default_factory=Paces)
    unnoted: dict[str, tuple[int, str]] = field(default_factory=dict)
