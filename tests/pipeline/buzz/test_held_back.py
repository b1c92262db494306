"""What a socket does not do: without its lease, elsewhere, too soon, or faster than the mailbox."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.server import ServerConnection

from long_running.cursors import Cursors
from long_running.sockets.accepting import MOST_WAITING
from long_running.sockets.making import Making
from long_running.sockets.session import SessionSocket
from long_running.sockets.state import Backoff, Phase
from tests.pipeline.buzz.people import Listener, connected, said, until
from tests.pipeline.buzz.test_rude import polite, tell
from tests.stubs.rude_relay import Behaviour, RudeRelay, rude_relay
from tests.unit.buzz.relay import settings
from tests.unit.discord.holding import silence
from threadline import wiring
from threadline.app import settings_items
from threadline.core.settings import Settings
from threadline.core.socket import Cursor, Opening, Session, Step

A_WHILE = 1.0
"""Seconds in which something that must not happen would have happened."""


def listening(relay: RudeRelay, line: ServerConnection) -> None:
    """Be polite, and then say once what is heard."""
    polite(relay, line)
    tell(line, f"hello {relay.came}")
    relay.hear(line, 60)


@contextmanager
def met(behaviour: Behaviour) -> Iterator[tuple[RudeRelay, Listener, SessionSocket]]:
    """Give a socket to a relay, not begun yet, that does not wait long by itself."""
    with rude_relay(behaviour) as relay:
        listener = Listener(relay)
        socket = listener.socket()
        socket.backoff = Backoff(0.01, 0.02)
        try:
            yield relay, listener, socket
        finally:
            assert socket.stop()


def test_without_its_lease_a_socket_lets_go_and_does_not_come_back() -> None:
    """It closes its connection at once, and makes the next one when it may again."""
    held = [True]
    with met(listening) as (relay, listener, socket):
        socket.may = lambda: held[0]
        socket.start()
        until(lambda: listener.texts() == ["hello 1"], listener.texts)
        held[0] = False
        until(lambda: socket.state.phase is Phase.BACKING_OFF, socket.state)
        time.sleep(A_WHILE)
        assert relay.came == 1
        held[0] = True
        until(lambda: listener.texts() == ["hello 1", "hello 2"], listener.texts)


@pytest.mark.parametrize("may", [True, False])
def test_without_its_lease_nothing_is_handed_over_or_saved(tmp_path: Path, *, may: bool) -> None:
    """What was read before somebody else took over is theirs: no mail and no cursor is written."""
    local = wiring.local_ports(tmp_path)
    app = replace(settings(), transport="socket")
    local.ports.secrets.put("buzz/default", {"private_key": f"{3:064x}"})
    kept = Settings(version="1", namespace="0" * 32, apps=(app,))
    settings_items.store_settings(local.ports.store, kept, time.time())
    world = wiring.world_of(local.ports, silence)
    making = Making(world, wiring.ingest_of(world), lambda: 0.5)
    (wanted,) = making.wanted(world.settings())
    socket = making.make(wanted, lambda: may)
    assert isinstance(socket, SessionSocket)
    delivery = {"event": said("hello").payload, "channel": {"name": "general", "direct": False}}
    assert socket.accept(json.dumps(delivery).encode()) is may
    socket.save({"channel/ch-1": "[1, 1, []]"})
    assert len(local.ports.queues.mailbox.receive(10, visibility=5)) == may
    assert Cursors(local.ports.store, app).load() == ({"channel/ch-1": "[1, 1, []]"} if may else {})
    local.close()


def test_a_socket_goes_nowhere_else() -> None:
    """Told to connect to an address that is not admitted, it connects to none and says so."""
    with met(listening) as (relay, _, socket):
        socket.admits = lambda _: False
        socket.start()
        until(lambda: socket.state.phase is Phase.REFUSED, socket.state)
        assert "not the platform's" in socket.state.why
        time.sleep(A_WHILE)
        assert relay.came == 0


def refusing(relay: RudeRelay, line: ServerConnection) -> None:
    """Let nobody in."""
    line.send('["AUTH","c1"]')
    while (words := json.loads(relay.hear(line, 30)))[0] != "AUTH":
        pass
    line.send(json.dumps(["OK", words[1]["id"], False, "restricted: not a member"]))
    relay.hear(line, 30)


def challenging(relay: RudeRelay, line: ServerConnection) -> None:
    """Ask for proof without end."""
    for number in range(150):
        line.send(json.dumps(["AUTH", f"c{number}"]))
    while True:
        relay.hear(line, 30)


@pytest.mark.parametrize(
    ("behaviour", "phase"),
    [(refusing, Phase.REFUSED), (challenging, Phase.BACKING_OFF)],
    ids=["refused", "asked to wait"],
)
def test_who_is_sent_away_does_not_come_back_soon(behaviour: Behaviour, phase: Phase) -> None:
    """A refusal, and a wait that the session asks for, outlast what other ends are waited for."""
    with met(behaviour) as (relay, _, socket):
        socket.start()
        until(lambda: socket.state.phase is phase, socket.state)
        time.sleep(A_WHILE)
        assert relay.came == 1


@dataclass(frozen=True, slots=True)
class Counted:
    """A session that counts the messages it was fed."""

    session: Session
    fed: list[str]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.session, name)

    def feed(self, frame: str | bytes, now: float) -> Step:
        """Feed the session."""
        step = self.session.feed(frame, now)
        self.fed.extend("x" for _ in step.deliveries)
        return replace(step, session=Counted(step.session, self.fed))

    def opened(self, now: float) -> Step:
        """Open the session."""
        step = self.session.opened(now)
        return replace(step, session=Counted(step.session, self.fed))

    def tick(self, now: float) -> Step:
        """Let time pass."""
        step = self.session.tick(now)
        return replace(step, session=Counted(step.session, self.fed))


def counting(socket: SessionSocket, fed: list[str]) -> None:
    """Let a socket's sessions count what they are fed."""
    opening = socket.open

    def counted(cursor: Cursor, now: float, random: float) -> Opening:
        opened = opening(cursor, now, random)
        return replace(opened, session=Counted(opened.session, fed))

    socket.open = counted


def test_reading_pauses_while_the_mailbox_takes_nothing() -> None:
    """What is read and not yet taken stays bounded, however much is said; then all of it comes."""
    many, fed = 2 * MOST_WAITING, list[str]()

    def flooding(relay: RudeRelay, line: ServerConnection) -> None:
        polite(relay, line)
        for number in range(many):
            tell(line, f"{number}")
        relay.hear(line, 60)

    with met(flooding) as (_, listener, socket):
        listener.refuse = 1_000_000
        counting(socket, fed)
        socket.start()
        connected(socket)
        until(lambda: len(fed) >= MOST_WAITING)
        time.sleep(A_WHILE)
        assert len(fed) == MOST_WAITING
        listener.refuse = 0
        until(lambda: len(listener.bodies) == many, lambda: len(listener.bodies))
        assert listener.texts() == [f"{number}" for number in range(many)]
