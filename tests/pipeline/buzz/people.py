"""Who is on the relay of these tests, and what they say."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from long_running.sockets.session import SessionSocket
from long_running.sockets.state import Backoff, Phase
from tests import planted
from tests.unit.buzz.relay import ANN, US, credentials, settings
from threadline.core.socket import Note
from threadline.platforms.buzz import PLATFORM
from threadline.platforms.buzz.event import CHAT, Event, Signer, Tags

PATIENCE: Final = 30.0


def now() -> int:
    """Give the time as events have it."""
    return int(time.time())


def until[T](find: Callable[[], T], what: object = "", patience: float = PATIENCE) -> T:
    """Wait until something is found."""
    deadline = time.monotonic() + patience
    while not (found := find()):
        assert time.monotonic() < deadline, f"not seen: {what() if callable(what) else what}"
        time.sleep(0.05)
    return found


def said(text: str, name: str = "ch-1", by: Signer = ANN, at: int = 0, tags: Tags = ()) -> Event:
    """Say something that mentions the bot, now unless told otherwise."""
    return by.sign(at or now(), CHAT, (("h", name), ("p", US.pubkey), *tags), planted.words(text))


class Somewhere(Protocol):
    """A relay, real or not."""

    @property
    def url(self) -> str:
        """Where it is."""
        ...


@dataclass(slots=True)
class Listener:
    """A socket of the bot's, and what came through it; the cursor is kept over restarts."""

    relay: Somewhere
    bodies: list[dict[str, Any]] = field(default_factory=list)
    cursor: dict[str, str] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    refuse: int = 0

    def socket(self) -> SessionSocket:
        """Make the socket."""
        using = credentials(url=self.relay.url)
        return SessionSocket(
            open=lambda cursor, at, chance: PLATFORM.connect(using, settings(), cursor, at, chance),
            admits=lambda url: url == self.relay.url, accept=self.accept,
            load=lambda: dict(self.cursor), save=self.save, log=self.notes.append,
            clock=time.time, random=lambda: 0.5, backoff=Backoff(0.5, 2.0),
        )  # fmt: skip

    def accept(self, body: bytes) -> bool:
        """Keep a delivery, unless this one is to be refused."""
        if self.refuse:
            self.refuse -= 1
            return False
        self.bodies.append(json.loads(body))
        return True

    def save(self, changed: Any) -> None:
        """Keep the cursor."""
        self.cursor.update(changed)

    def texts(self) -> list[str]:
        """List what came."""
        return [body["event"]["content"] for body in self.bodies]


def connected(socket: SessionSocket) -> SessionSocket:
    """Wait until the socket hears."""
    until(lambda: socket.state.phase is Phase.CONNECTED, socket.state)
    return socket
