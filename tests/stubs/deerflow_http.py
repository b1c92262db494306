"""HTTP in front of the Gateway's stub: JSON and forms in, JSON, files and event streams out."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, ClassVar, Self

from tests.stubs.deerflow import DeerFlowStub
from tests.stubs.deerflow_rules import Answer, Refused
from tests.stubs.serving import Server


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between calls."""

    stub: ClassVar[DeerFlowStub]
    lock: ClassVar[threading.Lock]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Take a question, or open a stream."""
        if self.path.partition("?")[0].endswith(("/stream", "/join")):
            self._stream()
        else:
            self._respond()

    def do_POST(self) -> None:
        """Take a call."""
        self._respond()

    def do_PUT(self) -> None:
        """Take a call."""
        self._respond()

    def do_DELETE(self) -> None:
        """Take a call."""
        self._respond()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing."""

    def _respond(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        with self.lock:
            answer = self.stub.answer(self.command, self.path, self._named(), body)
        self._write(answer)

    def _stream(self) -> None:
        try:
            with self.lock:
                replay = self.stub.replay(self.path, self._named())
        except Refused as refused:
            self._write(refused.answer)
            return
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        chunks = replay.chunks()
        try:
            for step in chunks:
                if isinstance(step, bytes):
                    self.wfile.write(step)
                else:
                    time.sleep(min(max(step - self.stub.clock(), 0.0), 0.05))
        finally:
            chunks.close()

    def _write(self, answer: Answer) -> None:
        body, kind = written(answer)
        self.send_response(answer.status)
        for name, value in {"content-type": kind, **answer.headers}.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _named(self) -> dict[str, str]:
        return {name.lower(): value for name, value in self.headers.items()}


def written(answer: Answer) -> tuple[bytes, str]:
    """Give an answer's bytes and their type."""
    if answer.text is not None:
        return answer.text.encode(), "text/plain; charset=utf-8"
    if isinstance(answer.body, bytes):
        return answer.body, "application/octet-stream"
    return b"" if answer.body is None else json.dumps(answer.body).encode(), "application/json"


class Gateway:
    """A stub that serves on 127.0.0.1 while entered, its runs `speed` times as fast as told."""

    def __init__(self, *, speed: float = 1.0, **how: Any) -> None:
        self.stub = DeerFlowStub(lambda: time.time() * speed, **how)
        handler = type("GatewayHandler", (Handler,), {"stub": self.stub, "lock": threading.Lock()})
        self._server = Server(("127.0.0.1", 0), handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
