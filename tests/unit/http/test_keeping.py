"""Which connections serve a further request, and which do not."""

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.unit.http.conftest import MOST_BYTES, Perform
from tests.unit.http.wire import OK, Connection, Script, serving
from threadline.backends import http_blocking
from threadline.backends.files import FileBlobs
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.http import HttpRequest, HttpResponse, Lost

ENOUGH = 1.0


@pytest.fixture
def http(blobs: FileBlobs) -> Iterator[BlockingHttp]:
    """The blocking driver alone."""
    opened = BlockingHttp(blobs, most_bytes=MOST_BYTES)
    yield opened
    opened.close()


def post(url: str, body: bytes = b"{}") -> HttpRequest:
    """A post, which nobody may send twice."""
    return HttpRequest("POST", url, "test", body=body, configured=True)


def stays_open(raw: bytes) -> Script:
    """Answer once with these bytes, then wait until the other side closes."""

    def answers(connection: Connection) -> None:
        connection.answer(raw)
        connection.wait_for_end()

    return answers


@pytest.mark.parametrize(
    "raw",
    [
        OK.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"),
        OK.replace(b"\r\n\r\n", b"\r\nConnection: x-a, Close\r\n\r\n"),
        OK.replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
    ids=["it says so", "it says so among others", "HTTP/1.0"],
)
def test_a_connection_that_is_to_be_closed_is_not_used_again(perform: Perform, raw: bytes) -> None:
    """A further request goes by a connection of its own."""
    with serving(stays_open(raw), lambda connection: connection.answer()) as wire:
        first, second = perform(post(wire.url), post(wire.url))
    assert isinstance(first, HttpResponse)
    assert isinstance(second, HttpResponse)
    assert wire.accepted == 2


@pytest.mark.parametrize(
    "raw",
    [OK + OK, OK.replace(b"content-length", b"transfer-encoding: chunked\r\ncontent-length")[:-2]
     + b"2\r\nok\r\n0\r\n\r\n"],
    ids=["more than an answer", "a length said two ways"],
)  # fmt: skip
def test_what_came_unasked_answers_nobody(http: BlockingHttp, raw: bytes) -> None:
    """Bytes behind an answer are not taken for the next one: their connection is closed."""
    with serving(stays_open(raw), lambda connection: connection.answer(OK[:-2] + b"me")) as wire:
        first, second = http.perform(post(wire.url)), http.perform(post(wire.url))
    assert isinstance(first, HttpResponse)
    assert isinstance(second, HttpResponse)
    assert (first.body, second.body) == (b"ok", b"me")


def test_a_connection_that_was_closed_meanwhile_is_not_met(http: BlockingHttp) -> None:
    """A post after the server closed goes by a new connection, at once and once."""
    with serving(*[lambda connection: connection.answer()] * 2) as wire:
        first = http.perform(post(wire.url))
        time.sleep(0.1)  # its end arrives
        second = http.perform(post(wire.url))
    assert isinstance(first, HttpResponse)
    assert isinstance(second, HttpResponse)
    assert len(wire.requests) == 2


def test_a_connection_is_kept_for_less_than_servers_keep_it(
    http: BlockingHttp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was idle for too long is closed, though the server still has it open."""
    monkeypatch.setattr(http_blocking, "KEPT_IDLE", 0.05)
    with serving(stays_open(OK), lambda connection: connection.answer()) as wire:
        http.perform(post(wire.url))
        time.sleep(0.1)
        assert isinstance(http.perform(post(wire.url)), HttpResponse)
    assert wire.accepted == 2


def test_an_answer_before_the_request_is_whole_counts(http: BlockingHttp) -> None:
    """A server that refuses a long body without reading it is heard."""
    refusal = b"HTTP/1.1 413 Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"

    def refuses(connection: Connection) -> None:
        connection.socket.recv(10)
        connection.socket.sendall(refusal)
        connection.wait_for_end()

    with serving(refuses) as wire:
        answer = http.perform(replace(post(wire.url, b"x" * 100_000), timeout=5.0))
    assert isinstance(answer, HttpResponse)
    assert answer.status == 413


def test_a_head_that_drips_is_given_up(http: BlockingHttp) -> None:
    """Each byte soon enough for a wait of its own, but not all of them together."""

    def drips(connection: Connection) -> None:
        connection.request()
        for byte in OK * 10:
            connection.socket.sendall(bytes([byte]))
            if connection.ended_within(0.1):
                return

    begun = time.monotonic()
    with serving(drips) as wire:
        answer = http.perform(replace(post(wire.url), timeout=0.3))
    assert answer == Lost("timeout", sent=True)
    assert time.monotonic() - begun < 0.3 + ENOUGH


def test_an_announcement_is_not_the_answer(http: BlockingHttp) -> None:
    """What only says that an answer will come is passed over, and so is the next of its kind."""
    early = b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    with serving(lambda connection: connection.answer(early + OK)) as wire:
        answer = http.perform(post(wire.url))
    assert isinstance(answer, HttpResponse)
    assert (answer.status, answer.body) == (200, b"ok")


@pytest.mark.parametrize("value", ["a\r\nx-b: c", "a\nb", "a\x00"])
def test_a_header_that_no_request_can_carry_is_not_sent(http: BlockingHttp, value: str) -> None:
    """A line end in a value cannot become a header of its own."""
    with serving(lambda connection: connection.answer()) as wire:
        answer = http.perform(replace(post(wire.url), headers={"x-a": value}))
    assert answer == Lost("forbidden", sent=False)
    assert wire.requests == []
