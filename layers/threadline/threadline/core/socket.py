"""What holds a socket to a platform: a pure machine; frames and time in, frames and deliveries out.

A host opens the connection, hands frames over one at a time and in order, and does what each `Step`
says. A machine may rely on this:

- `connect` is called anew for every connection, with everything that was saved so far. A session
  ends with its connection, whatever ended it; no other session of the app runs at the same time.
- Deliveries are handed to ingest in order, and the `save` of a step is written only after all
  deliveries of this step and of those before it were accepted. A host that dies in between connects
  with the older cursor, so a delivery may come again: its id must be the same then.
- What is saved is written within seconds, the last value of a name counts, and "" forgets a name.
- `tick` is called once `tick_at` has come, and may be called earlier. Only the latest `tick_at`
  counts. Frames and ticks go on while ingest is slow; when very much waits, reading pauses.
- Pings and pongs of the WebSocket protocol itself are the host's: a peer that answers none is
  closed and connected anew.
- After `end`, or once the other side closed (`closed`), nothing more is called on the session. The
  next connection follows after a growing wait; `refused` waits for a person and is tried rarely.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar, Final, Protocol, runtime_checkable

from threadline.core.http import Flow
from threadline.core.platform import Parses
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings

NEVER: Final = float("inf")

type Frame = str | bytes
"""A text or a binary message."""

type Cursor = Mapping[str, str]
"""What outlives a connection: small texts by name, each stored on its own."""


class Hearing(StrEnum):
    """Whether what people write would arrive; `DEAF`: the connection stands, but brings nothing."""

    OPENING = "opening"
    HEARING = "hearing"
    DEAF = "deaf"


@dataclass(frozen=True, slots=True)
class End:
    """Why the connection is to be closed; `wait`: at least so many seconds before the next one.

    `refused`: trying again is no use before a person has changed something, which `why` says.
    """

    why: str
    refused: bool = False
    wait: float = 0.0
    code: int = 1000


@dataclass(frozen=True, slots=True)
class Note:
    """A line for the log, without any text of a message; `alarm` where somebody should be told."""

    code: str
    detail: str = ""
    alarm: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a frame or a tick led to; `session` is what the next one is given to.

    `send` goes out in order. `deliveries` are bodies for the platform's own `parse`, oldest first.
    `save` are the changes of the cursor once they are accepted. `gap`: messages may have been
    missed, so where the platform `Backfills`, that is run now.
    """

    session: "Session"
    send: tuple[Frame, ...] = ()
    deliveries: tuple[bytes, ...] = field(default=(), repr=False)
    save: Cursor = field(default_factory=dict)
    tick_at: float = NEVER
    gap: bool = False
    end: End | None = None
    notes: tuple[Note, ...] = ()


class Session(Protocol):
    """One connection's state as a value: no method changes it, none does I/O, none raises."""

    @property
    def hearing(self) -> Hearing:
        """Whether people are heard, as far as the other side said."""
        ...

    @property
    def why(self) -> str:
        """Why they are not, for a person to read; "" otherwise."""
        ...

    def opened(self, now: float) -> Step:
        """Say what goes out first, once the connection stands."""
        ...

    def feed(self, frame: Frame, now: float) -> Step:
        """Take a frame; one that cannot be read is a note, never an error."""
        ...

    def tick(self, now: float) -> Step:
        """Do what is due."""
        ...

    def closed(self, code: int, reason: str, now: float) -> Step:
        """Judge why the other side closed: `end` may say refused, `save` may forget a cursor."""
        ...


@dataclass(frozen=True, slots=True)
class Opening:
    """Where to connect and with what; `url` is a `wss` address of the platform's own hosts.

    An address with the host and port of the configured `base_url` is admitted as written, `ws`
    included. `max_frame` in bytes. `goodbye` is the code to close with when the host stops or
    another process takes over: what is saved is gone on with soon.
    """

    session: Session
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    max_frame: int = 4_000_000
    goodbye: int = 1000


@runtime_checkable
class HoldsSocket(Parses, Protocol):
    """Brings messages over a connection of ours."""

    socket_transport: ClassVar[str]
    """The app's `transport` with which the socket is held."""

    socket_needs: ClassVar[tuple[str, ...]]
    """Names of the secrets without which no connection is opened."""

    def connect(
        self, credentials: Credentials, app: AppSettings, cursor: Cursor, now: float, random: float
    ) -> Opening:
        """Begin a session; `random` is between 0 and 1, fresh for every connection.

        Raises CredentialsRejected where secrets or settings cannot be right; shown as refused.
        """
        ...


@runtime_checkable
class Inquires(HoldsSocket, Protocol):
    """Asks over HTTP before it connects: where to, and whether it may now."""

    def inquire(
        self, credentials: Credentials, app: AppSettings, cursor: Cursor, now: float
    ) -> Flow[Cursor]:
        """Give what `connect` is to know beside the cursor; it is not saved.

        Raises PostError where the connection has to wait: RateLimited says how long.
        """
        ...


@dataclass(frozen=True, slots=True)
class Missed:
    """What was missed, oldest first, and the cursor once it is accepted."""

    deliveries: tuple[bytes, ...] = field(default=(), repr=False)
    save: Cursor = field(default_factory=dict)


@runtime_checkable
class Backfills(HoldsSocket, Protocol):
    """Can ask over HTTP for what a gap in the connection swallowed."""

    def backfill(
        self, credentials: Credentials, app: AppSettings, cursor: Cursor, now: float
    ) -> Flow[Missed]:
        """Read what known places hold since the cursor, bounded. Raises PostError."""
        ...
