"""Streams of the asyncio driver."""

import asyncio
import gc
import gzip
from dataclasses import replace

import pytest

from tests.unit.http.conftest import MOST_BYTES
from tests.unit.http.wire import Connection, Script, serving
from threadline.backends.calls import Network
from threadline.backends.clock import VirtualClock
from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.backends.http_listening import StreamBroken, StreamRefused
from threadline.core.errors import AgentError, AgentRejected, AgentUnavailable, AgentUnknown
from threadline.core.http import HttpRequest, HttpResponse, Lost

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def opening(url: str) -> HttpRequest:
    """The request that opens a stream."""
    return HttpRequest("GET", url, "follow run", configured=True)


def chunk(text: bytes) -> bytes:
    """A piece of a chunked body."""
    return b"%x\r\n%s\r\n" % (len(text), text)


def read(blobs: FileBlobs, url: str, idle: float = 10.0, most: int = 100) -> list[bytes]:
    """Read a stream to its end, or leave it after so many pieces."""

    async def collect() -> list[bytes]:
        http = AsyncioHttp(blobs, most_bytes=MOST_BYTES)
        seen: list[bytes] = []

        def take(piece: bytes) -> bool:
            seen.append(piece)
            return len(seen) == most

        try:
            await http.listen(opening(url), take, idle=idle)
        finally:
            await http.close()
        return seen

    return asyncio.run(collect())


def test_bytes_come_as_they_are_sent(blobs: FileBlobs) -> None:
    """Pieces are given on at once, undone of nothing but their transfer, until the end."""
    packed = gzip.compress(b"text")

    def streams(connection: Connection) -> None:
        connection.answer(HEAD.replace(b"200 OK\r\n", b"200 OK\r\ncontent-encoding: gzip\r\n"))
        connection.socket.sendall(chunk(packed) + b"0\r\n\r\n")

    with serving(streams) as wire:
        assert b"".join(read(blobs, wire.url)) == packed


def test_leaving_early_closes_the_connection(blobs: FileBlobs) -> None:
    """A reader that goes away lets the server know."""
    ended = []

    def streams(connection: Connection) -> None:
        connection.answer(HEAD + chunk(b"one"))
        connection.wait_for_end()
        ended.append(True)

    with serving(streams) as wire:
        assert read(blobs, wire.url, most=1) == [b"one"]
    assert ended


def test_a_stream_may_be_long_but_not_silent(blobs: FileBlobs) -> None:
    """Only silence is limited: pieces that keep coming keep the stream open beyond that time."""

    def streams(connection: Connection) -> None:
        connection.answer(HEAD)
        for _ in range(4):
            connection.socket.sendall(chunk(b"beat"))
            connection.ended_within(0.1)
        connection.ended_within(10)

    seen: list[bytes] = []

    async def collect() -> None:
        http = AsyncioHttp(blobs)

        def take(piece: bytes) -> bool:
            seen.append(piece)
            return False

        try:
            await http.listen(opening(wire.url), take, idle=0.3)
        finally:
            await http.close()

    with serving(streams) as wire, pytest.raises(StreamBroken) as broken:
        asyncio.run(collect())
    assert b"".join(seen) == b"beat" * 4
    assert broken.value.lost == Lost("timeout", sent=True)


def test_a_stream_that_is_cut_is_broken(blobs: FileBlobs) -> None:
    """A connection that ends in the middle is told from a stream that came to its end."""
    with (
        serving(lambda connection: connection.answer(HEAD + chunk(b"one"))) as wire,
        pytest.raises(StreamBroken) as broken,
    ):
        read(blobs, wire.url)
    assert broken.value.lost == Lost("reset", sent=True)


def test_a_refusal_is_no_stream(blobs: FileBlobs) -> None:
    """Any status but 200 is given with what it says, and no byte of it passes for an event."""
    raw = b"HTTP/1.1 409 Conflict\r\ncontent-length: 4\r\n\r\nbusy"
    with (
        serving(lambda connection: connection.answer(raw)) as wire,
        pytest.raises(StreamRefused) as refused,
    ):
        read(blobs, wire.url)
    answer = refused.value.answer
    assert answer == HttpResponse(409, {"content-length": "4"}, b"busy")


def test_a_refusal_of_an_unheard_of_length_is_not_read(blobs: FileBlobs) -> None:
    """A length of more digits than anybody reads, beside chunks that would do without it."""
    length = b"\r\ncontent-length: " + b"9" * 5000 + b"\r\n\r\n"
    raw = HEAD.replace(b"200 OK", b"500 No").replace(b"\r\n\r\n", length)
    with (
        serving(lambda connection: connection.answer(raw + chunk(b"busy"))) as wire,
        pytest.raises(StreamBroken) as broken,
    ):
        read(blobs, wire.url)
    assert broken.value.lost == Lost("too_large", sent=True)


def too_long(connection: Connection) -> None:
    """Refuse at a length that nobody reads."""
    connection.answer(b"HTTP/1.1 500 No\r\ncontent-length: 1001\r\n\r\n" + b"x" * 1001)


def unauthorised(connection: Connection) -> None:
    """Refuse for good."""
    connection.answer(b"HTTP/1.1 401 No\r\ncontent-length: 0\r\n\r\n")


def cut(connection: Connection) -> None:
    """Break off."""
    connection.answer(HEAD + chunk(b"one"))


@pytest.mark.parametrize(
    ("script", "error"),
    [(unauthorised, AgentRejected), (cut, AgentUnknown), (too_long, AgentUnknown)],
)
def test_the_use_cases_see_an_agents_errors(
    blobs: FileBlobs, script: Script, error: type[AgentError]
) -> None:
    """What goes wrong with a stream comes up as the error of an agent, with a label."""
    with serving(script) as wire, pytest.raises(AgentError, match="follow run") as caught:
        asyncio.run(by_network(blobs, wire.url))
    assert type(caught.value) is error


def test_a_stream_that_never_began_leaves_nothing(blobs: FileBlobs) -> None:
    """No timer and no error of an agent that is down outlive the try."""
    told: list[object] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        http = AsyncioHttp(blobs, most_bytes=MOST_BYTES)
        with pytest.raises(StreamBroken):
            await http.listen(opening("http://127.0.0.1:1"), lambda _: True, idle=0.02)
        await http.close()
        await asyncio.sleep(0.1)
        gc.collect()

    asyncio.run(run())
    assert told == []


def test_an_agent_that_is_down_is_unavailable(blobs: FileBlobs) -> None:
    """A stream that could not even be asked for can be asked for again."""
    with serving() as wire:
        url = wire.url
    with pytest.raises(AgentUnavailable):
        asyncio.run(by_network(blobs, url))


def test_what_the_listener_raises_ends_the_stream(
    blobs: FileBlobs, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of ours in what listens comes up as itself, and the connection is closed."""
    ended = []

    def streams(connection: Connection) -> None:
        connection.answer(HEAD + chunk(b"one"))
        connection.wait_for_end()
        ended.append(True)

    def stumble(_: bytes) -> bool:
        raise ZeroDivisionError

    with serving(streams) as wire, pytest.raises(ZeroDivisionError):
        asyncio.run(AsyncioHttp(blobs).listen(opening(wire.url), stumble))
    assert ended
    assert "buffer_updated" in caplog.text


def test_a_stream_goes_to_admitted_addresses_only(blobs: FileBlobs) -> None:
    """An address that the configuration does not name must be a public one, by name too."""
    with serving() as wire:
        for host in ("127.0.0.1", "localhost"):
            request = HttpRequest("GET", f"http://{host}:{wire.port}/", "follow run")
            with pytest.raises(StreamBroken) as broken:
                asyncio.run(AsyncioHttp(blobs).listen(request, bool))
            assert broken.value.lost == Lost("forbidden", sent=False)
    assert wire.accepted == 0


@pytest.mark.parametrize("host", ["agent..example", "a" * 70 + ".example", "."])
def test_a_stream_of_what_is_no_name_is_forbidden(blobs: FileBlobs, host: str) -> None:
    """A name that nobody can look up, as a slip in a configured address."""
    with pytest.raises(StreamBroken) as broken:
        asyncio.run(AsyncioHttp(blobs).listen(opening(f"http://{host}/"), bool))
    assert broken.value.lost == Lost("forbidden", sent=False)


def test_a_header_cannot_become_two(blobs: FileBlobs) -> None:
    """A line end in a header, as in a secret pasted with one, sends nothing."""
    with serving() as wire:
        request = replace(opening(wire.url), headers={"x-api-key": "key\r\nx-more: 1"})
        with pytest.raises(StreamBroken) as broken:
            asyncio.run(AsyncioHttp(blobs).listen(request, bool))
    assert broken.value.lost == Lost("forbidden", sent=False)
    assert wire.accepted == 0


def test_a_server_that_takes_and_says_nothing_is_left(blobs: FileBlobs) -> None:
    """Without even a head the stream is broken after the longest silence."""
    with serving(Connection.wait_for_end) as wire, pytest.raises(StreamBroken) as broken:
        read(blobs, wire.url, idle=0.2)
    assert broken.value.lost == Lost("timeout", sent=True)


def test_what_is_no_answer_is_no_stream(blobs: FileBlobs) -> None:
    """Bytes that are not HTTP break the stream, and none of them is handed on."""
    raw = b"220 mail.example ESMTP\r\n\r\n"
    with (
        serving(lambda connection: connection.answer(raw)) as wire,
        pytest.raises(StreamBroken) as broken,
    ):
        read(blobs, wire.url)
    assert broken.value.lost == Lost("reset", sent=True)


def test_the_request_is_as_the_server_wants_it(blobs: FileBlobs) -> None:
    """One GET with its host and headers, asked for uncompressed, on a connection of its own."""
    with serving(lambda connection: connection.answer(HEAD + b"0\r\n\r\n")) as wire:
        request = replace(
            opening(f"{wire.url}/threads/t/runs/r/stream?a=b c"), headers={"Last-Event-ID": "7-0"}
        )
        asyncio.run(AsyncioHttp(blobs).listen(request, bool))
    head = wire.requests[0].decode()
    assert head.startswith("GET /threads/t/runs/r/stream?a=b%20c HTTP/1.1\r\n")
    wanted = {f"host: 127.0.0.1:{wire.port}", "last-event-id: 7-0", "accept-encoding: identity"}
    assert wanted | {"connection: close", "user-agent: threadline"} <= set(head.split("\r\n"))


async def by_network(blobs: FileBlobs, url: str) -> list[bytes]:
    """Read a stream as the use cases do."""
    network = Network(
        BlockingHttp(blobs), AsyncioHttp(blobs, most_bytes=MOST_BYTES), VirtualClock()
    )
    pieces: list[bytes] = []

    def take(piece: bytes) -> bool:
        pieces.append(piece)
        return False

    try:
        await network.listen(opening(url), take)
    finally:
        await network.close()
    return pieces
