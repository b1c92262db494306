"""A session's state, and a step in the making."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from threadline.core.socket import NEVER, End, Frame, Hearing, Note, Step
from threadline.platforms.buzz.event import Event, Signer
from threadline.platforms.buzz.marks import Mark

if TYPE_CHECKING:
    from threadline.platforms.buzz.session import BuzzSession

MOST_CHANNELS: Final = 512
MOST_CHATS: Final = 256
WAIT_FOR_END: Final = 10.0
"""Seconds of silence after which a backlog counts as whole though its relay never said so."""

WAIT_FOR_KIND: Final = 5.0
"""Seconds to learn whether a new channel is a direct one before its messages are taken."""


class Auth(StrEnum):
    """Where authentication stands on this connection."""

    NONE = "none"
    PENDING = "pending"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Channel:
    """What the relay said of a channel."""

    name: str = ""
    direct: bool = False


@dataclass(frozen=True, slots=True)
class Chat:
    """An open subscription. `backlog` is what came before its end was told, None from then on.

    `heard_at` is when something last came or it was opened.
    """

    heard_at: float
    backlog: tuple[Event, ...] | None = ()
    ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that one connection knows.

    `proofs` are the ids of what we answered to challenges, the latest last. `marks` outlive the
    connection. `tries` counts reopenings by subscription, `reopen` is when the next is due.
    `memberships` are the times of the latest change by channel. `down` are the control
    subscriptions that stay closed, and why; `asked` counts their requests that were not refused.
    """

    signer: Signer
    relay: str
    relay_key: str = ""
    started: int = 0
    auth: Auth = Auth.NONE
    proofs: tuple[str, ...] = ()
    listed: bool = False
    channels: Mapping[str, Channel] = field(default_factory=dict)
    chats: Mapping[str, Chat] = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    memberships: Mapping[str, int] = field(default_factory=dict)
    tries: Mapping[str, int] = field(default_factory=dict)
    reopen: Mapping[str, float] = field(default_factory=dict)
    down: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)

    @property
    def hearing(self) -> Hearing:
        if self.down:
            return Hearing.DEAF
        return Hearing.HEARING if self.listed else Hearing.OPENING

    @property
    def why(self) -> str:
        return "; ".join(f"{name} is closed: {reason}" for name, reason in self.down.items())

    def due(self) -> float:
        """Give when something is to be done though nothing comes."""
        times = [*self.reopen.values()]
        times += [self.whole_at(name) for name, chat in self.chats.items() if not _live(chat)]
        return min(times, default=NEVER)

    def whole_at(self, channel: str) -> float:
        """Give when a backlog counts as whole."""
        chat = self.chats[channel]
        if not chat.ended:
            return chat.heard_at + WAIT_FOR_END
        return 0.0 if channel in self.channels else chat.heard_at + WAIT_FOR_KIND


@dataclass(slots=True)
class Work:
    """One step being made: the state as it becomes, and what comes of it."""

    state: State
    now: float
    send: list[Frame] = field(default_factory=list)
    deliveries: list[bytes] = field(default_factory=list)
    save: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    end: End | None = None

    def note(self, code: str, detail: str = "", *, alarm: bool = False) -> None:
        """Leave a line for the log."""
        self.notes.append(Note(code, detail[:200], alarm))

    def chat(self, channel: str, chat: Chat | None) -> None:
        """Set or drop a channel's subscription."""
        self.state = replace(self.state, chats=without(self.state.chats, channel, chat))

    def step(self, session: "BuzzSession") -> Step:
        """Give the step."""
        return Step(
            session=session, send=tuple(self.send), deliveries=tuple(self.deliveries),
            save=self.save, tick_at=self.state.due(), end=self.end, notes=tuple(self.notes),
        )  # fmt: skip


def without[T](known: Mapping[str, T], name: str, instead: T | None = None) -> dict[str, T]:
    """Give the mapping without a name, or with another value for it in its place."""
    changed = dict(known)
    if instead is None:
        changed.pop(name, None)
    else:
        changed[name] = instead
    return changed


def _live(chat: Chat) -> bool:
    return chat.backlog is None
