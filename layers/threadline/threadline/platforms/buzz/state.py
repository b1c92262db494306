"""A session's state, and a step in the making."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from threadline.core.legible import legible
from threadline.core.socket import NEVER, End, Frame, Hearing, Note, Step
from threadline.platforms.buzz import frames
from threadline.platforms.buzz.backlog import Page, Stretch
from threadline.platforms.buzz.event import Signer
from threadline.platforms.buzz.marks import Mark

if TYPE_CHECKING:
    from threadline.platforms.buzz.session import BuzzSession

MOST_CHANNELS: Final = 512
MOST_CHATS: Final = 256
WAIT_FOR_END: Final = 10.0
"""Seconds of silence after which no more of a page is waited for, though its end was not told."""

WAIT_FOR_FIRST: Final = 60.0
"""The same where nothing has come of it: a relay may be slow to begin."""

NO_CHANNEL: Final = "no channel is heard: have the bot's public key added to one"
WAIT_FOR_KIND: Final = 5.0
"""Seconds to learn whether a new channel is a direct one before its messages are taken."""


class Auth(StrEnum):
    """Where authentication stands on this connection."""

    NONE = "none"
    PENDING = "pending"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Channel:
    """What the relay said of a channel, and when."""

    name: str = ""
    direct: bool = False
    at: int = 0


@dataclass(frozen=True, slots=True)
class Chat:
    """A channel that is listened to.

    `ahead`: the stretches still to be read, the oldest last; none: what is said comes at once.
    `page`: what came of the last of them so far, None while it waits for its turn to be asked for.
    `since`: nothing older was asked for. `turn` is part of the name of its subscription.
    """

    opened_at: float
    ahead: tuple[Stretch, ...]
    page: Page | None = None
    since: int = 0
    turn: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that one connection knows.

    `proofs` are the ids of what we answered to challenges, the latest last. `marks` outlive the
    connection. `tries` counts reopenings by subscription, `reopen` is when the next is due.
    `memberships` are the times of the latest change by channel. `down` are the control
    subscriptions that stay closed, and why; `asked` counts their requests that were not refused.
    Before `patient_until` no channel is asked for: the relay wants us to slow down.
    """

    signer: Signer
    relay: str
    relay_key: str = ""
    started: int = 0
    auth: Auth = Auth.NONE
    proofs: tuple[str, ...] = ()
    challenges: int = 0
    listed: bool = False
    channels: Mapping[str, Channel] = field(default_factory=dict)
    chats: Mapping[str, Chat] = field(default_factory=dict)
    marks: Mapping[str, Mark] = field(default_factory=dict)
    memberships: Mapping[str, int] = field(default_factory=dict)
    tries: Mapping[str, int] = field(default_factory=dict)
    reopen: Mapping[str, float] = field(default_factory=dict)
    down: Mapping[str, str] = field(default_factory=dict)
    asked: Mapping[str, int] = field(default_factory=dict)
    patient_until: float = 0.0

    @property
    def hearing(self) -> Hearing:
        if self.down or (self.listed and not (self.chats or self.reopen)):
            return Hearing.DEAF
        return Hearing.HEARING if self.listed else Hearing.OPENING

    @property
    def why(self) -> str:
        closed = [f"{name} is closed: {reason}" for name, reason in self.down.items()]
        nothing = [NO_CHANNEL] if self.hearing is Hearing.DEAF else []
        return "; ".join(closed or nothing)

    def due(self) -> float:
        """Give when something is to be done though nothing comes."""
        chats = self.chats.items()
        times = [*self.reopen.values()]
        times += [self.whole_at(name) for name, chat in chats if chat.page]
        if self.patient_until and any(chat.ahead and not chat.page for _, chat in chats):
            times.append(self.patient_until)
        return min(times, default=NEVER)

    def whole_at(self, channel: str) -> float:
        """Give when no more of a channel's page is waited for."""
        chat = self.chats[channel]
        if chat.page is None:
            return NEVER
        wait = WAIT_FOR_END if chat.page.events else WAIT_FOR_FIRST
        at = 0.0 if chat.page.ended else chat.page.heard_at + wait
        return at if channel in self.channels else max(at, chat.opened_at + WAIT_FOR_KIND)

    def listened(self, subscription: str) -> str:
        """Give the channel that has this subscription now, "" for none."""
        for channel, turn in frames.channels_of(subscription):
            chat = self.chats.get(channel)
            if chat is not None and chat.turn == turn:
                return channel
        return ""


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
        self.notes.append(Note(code, legible(detail), alarm))

    def chat(self, channel: str, chat: Chat | None) -> None:
        """Set or drop a channel's subscription."""
        self.state = replace(self.state, chats=without(self.state.chats, channel, chat))

    def chat_last(self, channel: str, chat: Chat) -> None:
        """Set a channel's subscription behind all others: they have their turn first."""
        self.state = replace(
            self.state, chats={**without(self.state.chats, channel), channel: chat}
        )

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
