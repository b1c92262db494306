"""HTTP in front of the Slack stub: JSON or form parameters in, JSON out; files both ways."""

import json
import sys
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Protocol
from urllib.parse import parse_qsl

from tests.stubs.slack_rules import Answer, refused


class Answers(Protocol):
    """What stands behind the server."""

    def answer(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        """Answer a call."""
        ...

    def download(self, token: str, file: str) -> Answer:
        """Answer a download."""
        ...

    def take_upload(self, file: str, content: bytes) -> Answer:
        """Take the bytes of a file."""
        ...


def respond(stub: Answers, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Answer one request by its path; header names in lower case."""
    token = headers.get("authorization", "").removeprefix("Bearer ")
    match path.strip("/").split("/"):
        case ["api", method]:
            parameters = parameters_of(headers.get("content-type", ""), body)
            if parameters is None:
                return refused("invalid_json")
            return stub.answer(token, method, parameters)
        case ["files", file]:
            return stub.download(token, file)
        case ["upload", file]:
            return stub.take_upload(file, body)
        case _:
            return Answer(404, b"not found")


def parameters_of(kind: str, body: bytes) -> Mapping[str, Any] | None:
    """Read the parameters of a call, None where they cannot be read."""
    if not kind.startswith("application/json"):
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    try:
        decoded = json.loads(body)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None


class Server(ThreadingHTTPServer):
    """Serves on 127.0.0.1; a caller that goes away is no fault."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of broken connections."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between calls."""

    stub: ClassVar[Answers]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Take a call, or the bytes of a file."""
        self._respond(self.rfile.read(int(self.headers.get("content-length", 0))))

    def do_GET(self) -> None:
        """Take a download."""
        self._respond(b"")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing."""

    def _respond(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = respond(self.stub, self.path.partition("?")[0], headers, body)
        if answer.status == 0:
            self.close_connection = True
            return
        told = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response_only(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(told)))
        self.end_headers()
        self.wfile.write(told)
