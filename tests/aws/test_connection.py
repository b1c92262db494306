import socket
import ssl
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from http.client import parse_headers
from io import BufferedReader
from pathlib import Path
from threading import Thread

import pytest

from tests.unit.http.certificates import certificate, server_context
from threadline.backends.clock import VirtualClock
from threadline.backends.light.account import Account
from threadline.backends.light.ports import LightQueue
from threadline.backends.light.wire import written
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Outgoing

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 17\r\n"
ANSWER = HEAD + b'\r\n{"Successful":[]}'
NOTHING = b""


@dataclass
class Peer:
    """A server that reads a request for each of its answers; `requests` are the bodies it read."""

    url: str
    requests: list[bytes] = field(default_factory=list)


@contextmanager
def peer(*connections: list[bytes], tls: ssl.SSLContext | None = None) -> Iterator[Peer]:
    """Serve these connections one after the other, each closed after its last answer."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        place = "https://localhost" if tls else "http://127.0.0.1"
        there = Peer(f"{place}:{listening.getsockname()[1]}")

        def serve() -> None:
            for answers in connections:
                plain, _ = listening.accept()
                refused = suppress(ssl.SSLError) if tls else nullcontext()
                with plain, refused:
                    connection = tls.wrap_socket(plain, server_side=True) if tls else plain
                    with connection, connection.makefile("rb") as received:
                        for answer in answers:
                            there.requests.append(body_of(received))
                            connection.sendall(answer)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield there
        thread.join(5)
        assert not thread.is_alive(), "not every connection was used"


def body_of(received: BufferedReader) -> bytes:
    """Read one request."""
    received.readline()
    headers = parse_headers(received)
    return received.read(int(headers["Content-Length"]))


def send_to(url: str, *bodies: str) -> None:
    """Send each body by a call of its own."""
    environ = {
        "AWS_REGION": "eu-central-1",
        "AWS_ACCESS_KEY_ID": "AKIA",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_ENDPOINT_URL": url,
    }
    with closing(Account(environ, VirtualClock())) as account:
        queue = LightQueue(account, "https://sqs.eu-central-1.amazonaws.com/1/mailbox.fifo")
        for body in bodies:
            queue.send([Outgoing(body, group="g", dedup=body)])


def test_a_connection_is_kept() -> None:
    """Calls one after the other share a connection."""
    with peer([ANSWER, ANSWER]) as there:
        send_to(there.url, "1", "2")
    assert len(there.requests) == 2


@pytest.mark.parametrize(
    ("first", "requests"),
    [
        ([ANSWER], 2),
        ([ANSWER, NOTHING], 3),
        ([HEAD + b'Connection: close\r\n\r\n{"Successful":[]}'], 2),
    ],
    ids=["closed meanwhile", "closed instead of an answer", "announced"],
)
def test_a_stale_connection_is_replaced(first: list[bytes], requests: int) -> None:
    """A kept connection that turns out closed is replaced, and the same call sent once more."""
    with peer(first, [ANSWER]) as there:
        send_to(there.url, "1", "2")
    assert len(there.requests) == requests
    assert set(there.requests[1:]) == {there.requests[-1]}


@pytest.mark.parametrize(
    "answers",
    [
        [NOTHING],
        [HEAD + b'\r\n{"Succ'],
        [ANSWER, HEAD + b'\r\n{"Succ'],
        [ANSWER, b"SMTP ready\r\n\r\n"],
        [ANSWER, b"HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\n{}"],
    ],
    ids=["nothing", "a part", "a part, later", "another protocol", "an error"],
)
def test_other_losses_are_outages(answers: list[bytes]) -> None:
    """A call whose answer is bad, or lost on a new connection, is not repeated here."""
    with peer(answers) as there, pytest.raises(StoreUnavailable):
        send_to(there.url, "1", "2")
    assert len(there.requests) == len(answers)


def test_a_long_answer_comes_in_parts() -> None:
    """An answer longer than is received at once, or sent in chunks, is read to its end."""
    whole = b'{"Successful":[]' + b" " * 300_000 + b"}"
    sized = f"HTTP/1.1 200 OK\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole
    chunked = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        + f"{len(whole):x}\r\n".encode()
        + whole
        + b"\r\n0\r\n\r\n"
    )
    with peer([sized, chunked, ANSWER]) as there:
        send_to(there.url, "1", "2", "3")
    assert len(there.requests) == 3


def test_an_answer_may_last_as_long_as_its_connection() -> None:
    """Without a length the end of the connection ends the answer, and the next call has its own."""
    until_its_end = b'HTTP/1.0 200 OK\r\n\r\n{"Successful":[]}'
    with peer([until_its_end], [ANSWER]) as there:
        send_to(there.url, "1", "2")
    assert len(there.requests) == 2


def test_tls_goes_by_the_name_and_what_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate that is trusted for the name is talked to; any other gets no request."""
    trusted = certificate("localhost", tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    with peer([ANSWER, ANSWER], [ANSWER], tls=server_context(trusted)) as there:
        send_to(there.url, "1", "2", "3")
    assert len(there.requests) == 3
    other = server_context(certificate("other.example", tmp_path))
    with (
        peer([ANSWER], tls=other) as there,
        pytest.raises(StoreUnavailable, match="sqs: SSLCertVerificationError"),
    ):
        send_to(there.url, "1")
    assert not there.requests


@pytest.mark.parametrize("text", ["a\r\nX-More: b", "a\nb", "a\rb"])
def test_no_value_adds_a_header(text: str) -> None:
    """What would end a line of a request's head is refused."""
    with pytest.raises(ValueError, match="line end"):
        written("PUT", "/", {"Content-Type": text})


def test_nobody_there_is_an_outage() -> None:
    """Where nothing listens the error says so."""
    with peer() as there:
        pass
    with pytest.raises(StoreUnavailable, match="sqs: ConnectionRefusedError"):
        send_to(there.url, "1")
