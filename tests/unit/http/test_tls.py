"""TLS goes by the name in the address, though the connection goes to a checked address."""

import asyncio
import ssl
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.http.certificates import certificate, server_context
from tests.unit.http.conftest import Perform
from tests.unit.http.wire import OK, Connection, serving
from threadline.backends.files import FileBlobs
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_exchange import tls_context
from threadline.backends.http_listening import StreamBroken
from threadline.core.http import HttpRequest, HttpResponse, Lost


@pytest.fixture
def trusted(tmp_path: Path) -> Iterator[Path]:
    """A certificate for `localhost` that our context trusts during the test."""
    tls_context.cache_clear()
    path = certificate("localhost", tmp_path)
    tls_context().load_verify_locations(path)
    yield path
    tls_context.cache_clear()


def over_tls(path: Path, names: list[str]) -> ssl.SSLContext:
    """A server's context that notes the names it is asked for."""
    context = server_context(path)
    context.sni_callback = lambda _, name, __: names.append(name)
    return context


def get(url: str) -> HttpRequest:
    """A request to an address of the configuration."""
    return HttpRequest("GET", url, "test", configured=True)


def test_the_name_is_asked_for_and_checked(perform: Perform, trusted: Path) -> None:
    """The server is told the name it is wanted by, and answers under its certificate."""
    names: list[str] = []
    context = over_tls(trusted, names)

    def answers(connection: Connection) -> None:
        with context.wrap_socket(connection.socket, server_side=True) as wrapped:
            Connection(wrapped, connection.requests).answer(OK)

    with serving(answers) as wire:
        (answer,) = perform(get(f"https://localhost:{wire.port}/"))
    assert isinstance(answer, HttpResponse)
    assert names == ["localhost"]


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("name", ["other.example", "localhost"])
def test_a_certificate_we_do_not_trust_gets_no_request(
    perform: Perform, tmp_path: Path, name: str
) -> None:
    """Another name, or the right one in an unknown certificate, ends before anything is sent."""
    folder = tmp_path / "unknown"
    folder.mkdir()
    path = certificate(name, folder)
    if name == "other.example":
        tls_context().load_verify_locations(path)
    context = server_context(path)

    def shakes_hands(connection: Connection) -> None:
        try:
            context.wrap_socket(connection.socket, server_side=True).close()
        except ssl.SSLError:
            connection.requests.append(b"handshake refused")

    with serving(shakes_hands) as wire:
        (answer,) = perform(get(f"https://localhost:{wire.port}/"))
    assert answer == Lost("refused", sent=False)
    assert wire.requests in ([], [b"handshake refused"])


def test_a_stream_goes_over_tls_by_the_name(blobs: FileBlobs, trusted: Path) -> None:
    """A stream too is asked for by its name, under a certificate for that name only."""
    names: list[str] = []
    context = over_tls(trusted, names)

    def streams(connection: Connection) -> None:
        with context.wrap_socket(connection.socket, server_side=True) as wrapped:
            Connection(wrapped, connection.requests).answer(OK)

    pieces: list[bytes] = []

    def take(piece: bytes) -> bool:
        pieces.append(piece)
        return False

    def refuses(connection: Connection) -> None:
        with (
            pytest.raises(ssl.SSLError),
            context.wrap_socket(connection.socket, server_side=True) as wrapped,
        ):
            wrapped.recv(1)

    with serving(streams, refuses) as wire:
        asyncio.run(AsyncioHttp(blobs).listen(get(f"https://localhost:{wire.port}/"), take))
        with pytest.raises(StreamBroken) as broken:
            asyncio.run(AsyncioHttp(blobs).listen(get(f"https://127.0.0.1:{wire.port}/"), take))
    assert pieces == [b"ok"]
    assert names == ["localhost", None]
    assert broken.value.lost == Lost("refused", sent=False)
