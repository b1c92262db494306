"""HTTP in front of the GitHub stub: JSON in, JSON out."""

import json
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import ClassVar, Protocol

from tests.stubs.github_state import Answer


class Answers(Protocol):
    """What stands behind the server."""

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer a call."""
        ...


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between calls."""

    stub: ClassVar[Answers]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Take a call."""
        self._respond()

    def do_POST(self) -> None:
        """Take a call."""
        self._respond()

    def do_PATCH(self) -> None:
        """Take a call."""
        self._respond()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing."""

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.stub.answer(self.command, self.path, headers, body)
        if answer.body is None:
            self.close_connection = True
            return
        written = json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json; charset=utf-8")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)
