"""What a socket does when it is not heard through, no longer answered, or told to stop."""

import json
import socket as sockets
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

import pytest
from websockets.sync.server import ServerConnection
from websockets.utils import accept_key

from long_running.sockets import pumping, session
from long_running.sockets.state import Phase
from tests.pipeline.buzz.people import Listener, now, said, until
from tests.pipeline.buzz.test_held_back import counting
from tests.pipeline.buzz.test_rude import polite, tell
from tests.stubs.nostr_relay import nostr_relay
from tests.stubs.rude_relay import RudeRelay, rude_relay
from tests.unit.buzz.relay import RELAY, added, channel


def silent(relay: RudeRelay, line: ServerConnection) -> None:
    """Open connections, and never say anything."""
    while True:
        relay.hear(line, 60)


def test_a_relay_that_never_lets_in_is_deaf_and_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Open, but not heard through in time, a socket is deaf; later it is connected anew."""
    monkeypatch.setattr(pumping, "DEAF_FOR", 1.0)
    monkeypatch.setattr(pumping, "LONGEST_NAP", 0.05)
    with rude_relay(silent) as relay:
        listener = Listener(relay)
        socket = listener.socket()
        socket.deaf_after = 0.5
        socket.start()
        try:
            until(lambda: socket.state.phase is Phase.DEAF, socket.state)
            assert "never let us listen" in socket.state.why
            assert relay.came == 1
            until(lambda: relay.came >= 2)
        finally:
            assert socket.stop()


def test_a_bot_in_no_channel_is_deaf_until_it_is_added_to_one() -> None:
    """On a real relay: let in, it says that it hears no channel; the first one is heard at once."""
    with nostr_relay(RELAY) as relay:
        listener = Listener(relay)
        socket = listener.socket()
        socket.start()
        try:
            until(lambda: socket.state.phase is Phase.DEAF, socket.state)
            assert "no channel is heard" in socket.state.why
            relay.publish(channel("ch-1", at=now()), added("ch-1", now()))
            until(lambda: socket.state.phase is Phase.CONNECTED, socket.state)
            relay.publish(said("hello"))
            until(lambda: listener.texts() == ["hello"], listener.texts)
        finally:
            assert socket.stop()


@dataclass(slots=True)
class HalfOpen:
    """Takes connections, and reads and says nothing after the handshake: as where a cable is cut.

    `came` counts them.
    """

    port: int
    came: int = 0
    lines: list[sockets.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Its address."""
        return f"ws://127.0.0.1:{self.port}"

    def greet(self, listener: sockets.socket) -> None:
        """Take whoever comes."""
        with suppress(OSError):
            while True:
                line, _ = listener.accept()
                asked = line.recv(4096).decode()
                (key,) = (
                    one.partition(": ")[2]
                    for one in asked.split("\r\n")
                    if one.lower().startswith("sec-websocket-key:")
                )
                line.sendall(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade"
                    f"\r\nSec-WebSocket-Accept: {accept_key(key)}\r\n\r\n".encode()
                )
                self.lines.append(line)
                self.came += 1


@contextmanager
def half_open() -> Iterator[HalfOpen]:
    """Run such a server."""
    with sockets.create_server(("127.0.0.1", 0)) as listener:
        relay = HalfOpen(listener.getsockname()[1])
        threading.Thread(target=relay.greet, args=(listener,), daemon=True).start()
        yield relay
        listener.shutdown(sockets.SHUT_RDWR)
        for line in relay.lines:
            line.close()


def test_a_connection_that_is_no_longer_answered_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pings without an answer end a connection that nobody closed, and the next one is made."""
    monkeypatch.setattr(session, "PING_EVERY", 0.3)
    with half_open() as relay:
        socket = Listener(relay).socket()
        socket.start()
        try:
            until(lambda: relay.came >= 2)
        finally:
            assert socket.stop()


def test_what_was_read_is_finished_before_it_ends() -> None:
    """Told to stop, it reads no more, hands over all that it has, and keeps its place: none twice.

    Each message says when it came.
    """

    def talking(relay: RudeRelay, line: ServerConnection) -> None:
        polite(relay, line)
        for number in range(6):
            tell(line, f"{relay.came}.{number}")
        relay.hear(line, 30)

    with rude_relay(talking) as relay:
        listener, fed = Slow(relay), list[str]()
        socket = listener.socket()
        counting(socket, fed)
        began = time.time()
        socket.start()
        until(lambda: len(fed) == 6, lambda: len(fed))
        with ThreadPoolExecutor(1) as others:
            stopping = others.submit(socket.stop)
            time.sleep(0.3)
            assert not stopping.done()
            assert listener.bodies == []
            listener.opens.set()
            assert stopping.result(30)
        assert listener.texts() == [f"1.{number}" for number in range(6)]
        assert began <= socket.state.last_event <= time.time()
        place = json.loads(listener.cursor["channel/ch-1"])
        assert sum(len(one.partition(".")[2]) // 8 for one in place[2]) == 6
        assert relay.came == 1


@dataclass(slots=True)
class Slow(Listener):
    """Somebody whose mailbox takes nothing before it `opens`."""

    opens: threading.Event = field(default_factory=threading.Event)

    def accept(self, body: bytes) -> bool:
        """Keep a delivery, once that is possible."""
        self.opens.wait(30)
        return Listener.accept(self, body)
