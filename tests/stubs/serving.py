"""How a stub of an API is served over HTTP on 127.0.0.1."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer of a stub; status 0 drops the connection instead."""

    status: int = 200
    body: Mapping[str, Any] | bytes = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def content(self) -> bytes:
        """The body as it goes over the line."""
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


type Respond = Callable[[str, str, Mapping[str, str], bytes], Answer]
"""Answers a request by method, target, headers (names in lower case) and body."""


class Server(ThreadingHTTPServer):
    """Serves on 127.0.0.1; a caller that goes away is no fault."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of broken connections."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between calls."""

    respond: ClassVar[Respond]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Take a question."""
        self._take()

    def do_POST(self) -> None:
        """Take a call that does something."""
        self._take()

    def do_PATCH(self) -> None:
        """Take a change."""
        self._take()

    def do_PUT(self) -> None:
        """Take what is to be stored."""
        self._take()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing."""

    def _take(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = type(self).respond(self.command, self.path, headers, body)
        if answer.status == 0:
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in {"content-type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)


@dataclass(slots=True, kw_only=True)
class Served:
    """A stub that is served while it is entered; `url` is where."""

    url: str = ""
    _server: Server | None = None

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer one request; header names in lower case."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        handler = type("Bound", (Handler,), {"respond": staticmethod(self.respond)})
        self._server = Server(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
