"""What both drivers do with a request, and what they do not."""

import pytest

from tests.unit.http.conftest import MOST_BYTES, Perform
from tests.unit.http.wire import Connection, serving
from threadline.backends.files import FileBlobs
from threadline.core.errors import StoreUnavailable
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, Lost, SaveTo


def get(url: str, **changes: object) -> HttpRequest:
    """A request to an address of the configuration."""
    return HttpRequest("GET", url, "test", configured=True, **changes)  # type: ignore[arg-type]


def post(url: str, body: bytes | BlobRef | Joined = b"{}") -> HttpRequest:
    """A post to an address of the configuration."""
    return HttpRequest("POST", url, "test", {"X-Key": "k"}, body, configured=True)


def twice(connection: Connection) -> None:
    """Answer two requests on one connection."""
    connection.answer(b"HTTP/1.1 200 OK\r\nset-cookie: a=1\r\ncontent-length: 0\r\n\r\n")
    connection.answer()


def test_an_answer_is_given_whole(perform: Perform) -> None:
    """Status, body and header names in lower case; what was sent twice is joined."""
    raw = (
        b"HTTP/1.1 404 Not Found\r\nX-A: 1\r\nX-A: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
        b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
    )
    with serving(lambda connection: connection.answer(raw)) as wire:
        (answer,) = perform(get(f"{wire.url}/a;b/%2Fc?q=%20&r=ä#cut"))
    assert answer == HttpResponse(404, {"x-a": "1, 2", "transfer-encoding": "chunked"}, b"abcde")
    assert wire.requests[0].startswith(b"GET /a;b/%2Fc?q=%20&r=%C3%A4 HTTP/1.1\r\n")


def test_what_is_sent_is_what_was_asked(perform: Perform) -> None:
    """Body, length and headers are the request's; nothing asks for compression or a kept cookie."""
    with serving(twice) as wire:
        perform(post(f"{wire.url}/x", b"hello"), post(f"{wire.url}/x", b""))
    first, second = (request.lower() for request in wire.requests)
    assert wire.accepted == 1
    assert first.endswith(b"\r\n\r\nhello")
    for header in (b"x-key: k", b"content-length: 5", b"accept-encoding: identity"):
        assert b"\r\n" + header + b"\r\n" in first
    assert b"content-length: 0\r\n" in second
    assert b"cookie" not in second
    assert b"content-type" not in first


def test_bodies_may_come_from_the_blob_store(perform: Perform, blobs: FileBlobs) -> None:
    """A stored file goes out alone or between other parts, byte for byte."""
    ref = blobs.put("file", b"\x00\xff" * 1_000_000)
    with serving(twice) as wire:
        perform(post(wire.url, ref), post(wire.url, Joined((b"--a\r\n", ref, b"\r\n--a--"))))
    alone, joined = (request.partition(b"\r\n\r\n")[2] for request in wire.requests)
    assert alone == b"\x00\xff" * 1_000_000
    assert joined == b"--a\r\n" + alone + b"\r\n--a--"


def test_a_blob_that_is_gone_sends_nothing(perform: Perform) -> None:
    """Without its body the request is not begun."""
    with serving(twice) as wire, pytest.raises(StoreUnavailable):
        perform(post(wire.url, BlobRef("gone", 3)))
    assert wire.accepted == 0


def test_redirects_are_answers(perform: Perform) -> None:
    """Whoever asked decides whether to go elsewhere, and with what."""
    raw = b"HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n"
    with serving(lambda connection: connection.answer(raw)) as wire:
        (answer,) = perform(get(wire.url))
    assert isinstance(answer, HttpResponse)
    assert (answer.status, answer.headers["location"]) == (302, "http://127.0.0.1:1/")


def test_proxies_of_the_environment_are_ignored(
    perform: Perform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment variable cannot send our calls through somebody else."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with serving(lambda connection: connection.answer()) as wire:
        (answer,) = perform(get(wire.url))
    assert isinstance(answer, HttpResponse)
    assert answer.body == b"ok"


def test_a_download_is_saved(perform: Perform, blobs: FileBlobs) -> None:
    """A body within the limit goes to its blob, with the kind the server named."""
    raw = b"HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 5\r\n\r\n\x89PNG\x00"
    with serving(lambda connection: connection.answer(raw)) as wire:
        (answer,) = perform(get(wire.url, save_to=SaveTo("picture", 5)))
    assert isinstance(answer, HttpResponse)
    assert answer.body == b""
    assert answer.saved == BlobRef("picture", 5, "image/png")
    assert blobs.get("picture") == b"\x89PNG\x00"


def test_an_error_is_not_saved(perform: Perform, blobs: FileBlobs) -> None:
    """What a server says in place of the file is its answer, not the file."""
    raw = b"HTTP/1.1 404 Not Found\r\ncontent-length: 4\r\n\r\ngone"
    with serving(lambda connection: connection.answer(raw)) as wire:
        (answer,) = perform(get(wire.url, save_to=SaveTo("picture", 1)))
    assert isinstance(answer, HttpResponse)
    assert (answer.body, answer.saved) == (b"gone", None)
    assert blobs.get("picture") is None


def announced(length: int) -> bytes:
    """An answer that says how long it is."""
    return b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % length + b"x" * length


def unannounced(length: int) -> bytes:
    """An answer whose length shows only at its end."""
    head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    return head + b"%x\r\n" % length + b"x" * length + b"\r\n0\r\n\r\n"


@pytest.mark.parametrize("make", [announced, unannounced])
@pytest.mark.parametrize(("save_to", "limit"), [(None, MOST_BYTES), (SaveTo("big", 9), 9)])
def test_an_answer_over_its_limit_is_not_read(
    perform: Perform, blobs: FileBlobs, make: object, save_to: SaveTo | None, limit: int
) -> None:
    """The limit itself is fine and one byte more is too large, announced or not."""
    assert callable(make)
    for length in (limit, limit + 1):
        with serving(lambda connection, n=length: connection.answer(make(n))) as wire:  # type: ignore[misc]
            (answer,) = perform(get(wire.url, save_to=save_to))
        if length == limit:
            assert isinstance(answer, HttpResponse)
        else:
            assert answer == Lost("too_large", sent=True)
    assert blobs.get("big") == (b"x" * 9 if save_to else None)
