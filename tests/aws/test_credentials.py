import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from threadline.backends.clock import VirtualClock
from threadline.backends.light.credentials import EARLY, source
from threadline.backends.light.sigv4 import AwsCredentials
from threadline.core.errors import StoreUnavailable


@dataclass
class Container:
    """A container's credentials endpoint, which wants a token and counts how often it was asked."""

    clock: VirtualClock
    url: str = ""
    token: str = "let-me-in"
    lifetime: float = 3600.0
    up: bool = True
    asked: list[str] = field(default_factory=list)

    def answer(self, path: str, token: str | None) -> tuple[int, bytes]:
        """Return status and body."""
        self.asked.append(path)
        if not self.up or token != self.token:
            return 403 if self.up else 500, b"{}"
        ends = datetime.fromtimestamp(self.clock.now() + self.lifetime, UTC)
        number = len(self.asked)
        content = {
            "AccessKeyId": f"ASIA{number}",
            "SecretAccessKey": f"secret{number}",
            "Token": f"token{number}",
            "Expiration": f"{ends:%Y-%m-%dT%H:%M:%SZ}",
        }
        return 200, json.dumps(content).encode()


@contextmanager
def serving(container: Container) -> Iterator[Container]:
    """Serve a container's endpoint on loopback."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1

        def do_GET(self) -> None:
            status, body = container.answer(self.path, self.headers.get("Authorization"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        container.url = f"http://127.0.0.1:{server.server_port}/creds?a=b"
        try:
            yield container
        finally:
            server.shutdown()


@pytest.fixture
def container() -> Iterator[Container]:
    """Give a container that answers."""
    with serving(Container(VirtualClock())) as up:
        yield up


def test_keys_of_the_environment_come_first(container: Container) -> None:
    """Keys and session token of the environment are taken, and the container is not asked."""
    environ = {
        "AWS_ACCESS_KEY_ID": "ASIAX",
        "AWS_SECRET_ACCESS_KEY": "s",
        "AWS_SESSION_TOKEN": "t",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": container.url,
    }
    assert source(environ, container.clock)() == AwsCredentials("ASIAX", "s", "t")
    assert not container.asked


def test_a_container_is_asked_once_for_as_long_as_its_keys_last(container: Container) -> None:
    """Keys are fetched with the token, kept, and fetched anew before they end."""
    keys = source(of(container), container.clock)
    assert keys() == AwsCredentials("ASIA1", "secret1", "token1")
    container.clock.advance(container.lifetime - EARLY - 1)
    assert keys().access_key == "ASIA1"
    container.clock.advance(2)
    assert keys().access_key == "ASIA2"
    assert container.asked == ["/creds?a=b"] * 2


def test_keys_last_while_the_container_does_not_answer(container: Container) -> None:
    """A failed renewal is no trouble until the keys end."""
    keys = source(of(container), container.clock)
    keys()
    container.up = False
    container.clock.advance(container.lifetime - 1)
    assert keys().access_key == "ASIA1"
    container.clock.advance(2)
    with pytest.raises(StoreUnavailable, match="HTTP 500"):
        keys()


def test_the_token_may_stand_in_a_file(container: Container, tmp_path: Path) -> None:
    """A token file is read at every fetch, since its content is rotated."""
    file = tmp_path / "token"
    file.write_text("old\n")
    environ = {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": container.url,
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": str(file),
    }
    keys = source(environ, container.clock)
    with pytest.raises(StoreUnavailable, match="HTTP 403"):
        keys()
    file.write_text(f"{container.token}\n")
    assert keys().access_key == "ASIA2"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"AWS_ACCESS_KEY_ID": "AKIA"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://198.51.100.7/creds"},
        {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.example/creds"},
    ],
    ids=["nothing", "half a pair", "plain http elsewhere", "a host that looks like loopback"],
)
def test_without_credentials_nothing_starts(environ: dict[str, str]) -> None:
    """No credentials, or an endpoint that would send the token in the clear, is refused."""
    with pytest.raises(StoreUnavailable):
        source(environ, VirtualClock())


@pytest.mark.parametrize("answer", [b"", b"[]", b'{"AccessKeyId": "A"}', b"\xff"])
def test_an_unreadable_answer_is_an_outage(
    container: Container, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a container answers, the error is ours and shows nothing of it."""
    monkeypatch.setattr(container, "answer", lambda *_: (200, answer))
    with pytest.raises(StoreUnavailable, match="the container's credentials"):
        source(of(container), container.clock)()


def of(container: Container) -> dict[str, str]:
    """Return the environment of a function in that container."""
    return {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": container.url,
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": container.token,
    }
