"""Sockets to a relay that breaks everything but the connection, and that too."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from websockets.sync.server import ServerConnection

from long_running.sockets.session import SessionSocket
from long_running.sockets.sparing import MOST, Sparing
from long_running.sockets.state import Phase
from tests.pipeline.buzz.people import Listener, until
from tests.stubs.rude_relay import Behaviour, RudeRelay, rude_relay
from tests.unit.buzz.relay import channel, says
from threadline.core.socket import Note
from threadline.platforms.buzz import frames


def polite(relay: RudeRelay, line: ServerConnection, *, ends: bool = True) -> None:
    """Greet, let in, and name one channel; return once its messages are asked for."""
    line.send('["AUTH","c1"]')
    while True:
        words = json.loads(relay.hear(line, 30))
        if words[0] == "AUTH":
            line.send(json.dumps(["OK", words[1]["id"], True, ""]))
        elif words[0] == "REQ":
            if words[1] == frames.DISCOVERY:
                event = channel("ch-1", at=time.time())
                line.send(json.dumps(["EVENT", words[1], event.payload]))
            chat = words[1].startswith(frames.CHATS)
            if ends or not chat:
                line.send(json.dumps(["EOSE", words[1]]))
            if chat:
                return


def tell(line: ServerConnection, text: str) -> None:
    """Say something in the channel."""
    event = says(text, at=time.time())
    line.send(json.dumps(["EVENT", "buzz-chat-ch-1", event.payload]))


@contextmanager
def held(behaviour: Behaviour) -> Iterator[tuple[RudeRelay, Listener, SessionSocket]]:
    """Hold a socket to such a relay."""
    with rude_relay(behaviour) as relay:
        listener = Listener(relay)
        socket = listener.socket()
        socket.start()
        try:
            yield relay, listener, socket
        finally:
            assert socket.stop()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("huge", "too large"),
        ("no utf-8", "no UTF-8"),
        ("no websocket", "broke the protocol"),
        ("cut", "the connection ended"),
        ("closed", "4242 go away [2J"),
    ],
)
def test_a_connection_that_is_broken_says_how_and_is_made_anew(how: str, why: str) -> None:
    """A broken connection is shown with its reason, and the next one goes on where it was."""

    def breaking(relay: RudeRelay, line: ServerConnection) -> None:
        polite(relay, line)
        if relay.came > 1:
            tell(line, "hello")
            relay.hear(line, 30)
        match how:
            case "huge":
                line.send(json.dumps(["NOTICE", "x" * 5_000_000]))
            case "no utf-8":
                line.socket.sendall(b"\x81\x04\xff\xfe\xfd\xfc")
            case "no websocket":
                line.socket.sendall(b"\x83\x00")  # a kind of frame that does not exist
            case "cut":
                line.socket.close()
            case "closed":
                line.close(4242, "go away\x1b[2J")
        relay.hear(line, 30)

    with held(breaking) as (relay, listener, socket):
        shown: set[str] = set()

        def seen() -> bool:
            shown.add(socket.state.why)
            return any(why in text for text in shown)

        until(seen, lambda: shown)
        until(lambda: listener.texts() == ["hello"], listener.texts)
        assert relay.came >= 2
        assert all(text.isprintable() for text in shown)


def test_a_flood_of_noise_does_not_drown_what_is_said() -> None:
    """Between ten thousand notices, forgeries and broken frames a message arrives, once."""

    def flooding(relay: RudeRelay, line: ServerConnection) -> None:
        polite(relay, line)
        forged = json.dumps(["EVENT", "buzz-chat-ch-1", {**says("x").payload, "content": "y"}])
        for number in range(2_500):
            line.send('["NOTICE","hello"]')
            line.send("{broken")
            line.send(b"\x00binary")
            line.send(forged)
            if number == 1_250:
                tell(line, "hello")
        tell(line, "and goodbye")
        relay.hear(line, 30)

    with held(flooding) as (relay, listener, socket):
        until(lambda: listener.texts() == ["hello", "and goodbye"], listener.texts)
        assert relay.came == 1
        assert socket.state.phase is Phase.CONNECTED


def test_what_is_due_is_done_however_much_comes() -> None:
    """A page whose end is not told is given up after its time, though the relay is never silent."""

    def chattering(relay: RudeRelay, line: ServerConnection) -> None:
        polite(relay, line, ends=False)
        tell(line, "hello")
        hearing = threading.Thread(target=relay.hear, args=(line, 60), daemon=True)
        hearing.start()
        while hearing.is_alive():
            line.send('["NOTICE","still here"]')
        relay.hear(line, 30)

    with held(chattering) as (relay, _, _):
        until(lambda: any(one.startswith('["CLOSE","buzz-chat-ch-1"') for one in relay.heard))
        assert relay.came == 1


def test_notes_are_told_sparingly() -> None:
    """Ten notes of a code a minute are told, the rest is counted; other codes are not hidden."""
    now, told = [0.0], list[Note]()
    notes = Sparing(told.append, lambda: now[0])
    for _ in range(1_000):
        notes(Note("forged", "x"))
    notes(Note("channels", "1"))
    assert len(told) == MOST + 2
    assert told[-1] == Note("channels", "1")
    now[0] = 61.0
    notes(Note("forged", "y"))
    assert [note.detail for note in told[-2:]] == ["990 more in the last minute", "y"]
