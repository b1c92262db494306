"""A lost answer says honestly whether the request may have arrived."""

import contextlib
import socket
from collections.abc import Iterator

import pytest

from tests.unit.http.conftest import Perform
from tests.unit.http.wire import Connection, Script, serving
from threadline.core.http import HttpRequest, HttpResponse, Lost

UNREADABLE = b"SSH-2.0-OpenSSH_9.9\r\n"
HALF = b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\nhalf"


def post(url: str, seconds: float = 10.0) -> HttpRequest:
    """A post, which nobody may send twice."""
    return HttpRequest("POST", url, "test", body=b"{}", timeout=seconds, configured=True)


def hangs_up(connection: Connection) -> None:
    """Read the request and say nothing."""
    connection.request()


def tears_down(connection: Connection) -> None:
    """Read the request and reset the connection."""
    connection.request()
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def talks_nonsense(connection: Connection) -> None:
    """Answer in another protocol."""
    connection.answer(UNREADABLE)


def stops_halfway(connection: Connection) -> None:
    """Close in the middle of the body."""
    connection.answer(HALF)


def is_silent(connection: Connection) -> None:
    """Read the request and keep the connection open."""
    connection.request()
    connection.wait_for_end()


def begins(connection: Connection) -> None:
    """Send the head and half of the body, then nothing."""
    connection.answer(HALF)
    connection.wait_for_end()


def drips(connection: Connection) -> None:
    """Send a byte now and then, each soon enough for a wait of its own."""
    connection.answer(HALF)
    with contextlib.suppress(ConnectionError):
        for _ in range(100):
            connection.socket.sendall(b"x")
            if connection.ended_within(0.1):
                return


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (hangs_up, "reset"),
        (tears_down, "reset"),
        (talks_nonsense, "reset"),
        (stops_halfway, "reset"),
        (is_silent, "timeout"),
        (begins, "timeout"),
        (drips, "timeout"),
    ],
)
def test_what_was_written_may_have_arrived(perform: Perform, script: Script, why: str) -> None:
    """Once the request began to be written, no way of losing the answer counts as not sent."""
    with serving(script) as wire:
        (answer,) = perform(post(wire.url, 0.3 if why == "timeout" else 10.0))
    assert answer == Lost(why, sent=True)  # type: ignore[arg-type]


def test_a_kept_connection_that_breaks_counts_as_sent(perform: Perform) -> None:
    """A post that meets a closing connection is lost as sent, and is not sent again."""

    def answers_once(connection: Connection) -> None:
        connection.answer()
        connection.request()

    with serving(answers_once, lambda connection: connection.answer()) as wire:
        first, second = perform(post(wire.url), post(wire.url))
    assert isinstance(first, HttpResponse)
    assert second == Lost("reset", sent=True)
    assert len(wire.requests) == 2


def test_nobody_listening_is_not_sent(perform: Perform) -> None:
    """A refused connection is certain."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert perform(post(f"http://127.0.0.1:{port}")) == [Lost("refused", sent=False)]


def test_an_unknown_name_is_not_sent(perform: Perform) -> None:
    """A name that cannot be resolved is certain."""
    assert perform(post("http://no-such-host.invalid")) == [Lost("refused", sent=False)]


def test_a_server_without_tls_is_not_sent(perform: Perform) -> None:
    """A handshake that fails comes before the request."""
    with serving(lambda connection: connection.socket.sendall(UNREADABLE)) as wire:
        (answer,) = perform(post(wire.url.replace("http:", "https:")))
    assert isinstance(answer, Lost)
    assert not answer.sent
    assert wire.requests == []


def test_a_connection_that_never_opens_is_not_sent(perform: Perform) -> None:
    """A time limit that ends while connecting is certain."""
    with full_backlog() as port:
        assert perform(post(f"http://127.0.0.1:{port}", 0.3)) == [Lost("timeout", sent=False)]


@contextlib.contextmanager
def full_backlog() -> Iterator[int]:
    """Listen on a port whose queue of unaccepted connections is full."""
    with contextlib.ExitStack() as open_until_then:
        listener = open_until_then.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = open_until_then.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
