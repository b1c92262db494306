"""A proxy before the AWS emulator that loses answers and gives AWS's own errors."""

import http.client
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final
from urllib.parse import urlsplit

type Fault = Callable[[bytes], tuple[int, Any]] | None
"""What is answered instead; None stands for an answer that is lost after the call took effect."""


@dataclass
class Flaky:
    """Has the next calls go wrong, in this order; those after them are passed on."""

    url: str = ""
    faults: list[Fault] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def error(status: int, code: str, **more: Any) -> Fault:
    """Answer with an error of AWS's JSON protocol; the call has no effect."""
    return lambda _: (status, {"__type": f"com.amazonaws#{code}", "message": "no", **more})


def cancelled(*codes: str) -> Fault:
    """Answer as a transaction that was cancelled for these reasons, one for each entry."""
    reasons = [{"Code": code, "Message": "no"} for code in codes]
    return error(400, "TransactionCanceledException", CancellationReasons=reasons)


def unprocessed(body: bytes) -> tuple[int, Any]:
    """Answer a BatchGetItem with nothing but what is left to do."""
    return 200, {"Responses": {}, "UnprocessedKeys": json.loads(body)["RequestItems"]}


def none_taken(body: bytes) -> tuple[int, Any]:
    """Answer a batch of SQS as one of which every entry failed inside SQS."""
    failed = [
        {"Id": entry["Id"], "SenderFault": False, "Code": "InternalError"}
        for entry in json.loads(body)["Entries"]
    ]
    return 200, {"Successful": [], "Failed": failed}


LOST: Final[Fault] = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, endpoint: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.netloc = urlsplit(endpoint).netloc
        self.flaky = Flaky(f"http://127.0.0.1:{self.server_port}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server: _Server

    def do_POST(self) -> None:
        flaky = self.server.flaky
        body = self.rfile.read(int(self.headers["Content-Length"]))
        flaky.calls.append(self.headers["X-Amz-Target"].rpartition(".")[2])
        if not flaky.faults:
            self.answer(*self.passed_on(body))
        elif (fault := flaky.faults.pop(0)) is None:
            self.passed_on(body)
            self.close_connection = True
        else:
            status, content = fault(body)
            self.answer(status, json.dumps(content).encode())

    def passed_on(self, body: bytes) -> tuple[int, bytes]:
        """Ask the emulator."""
        there = http.client.HTTPConnection(self.server.netloc, timeout=20)
        there.request("POST", self.path, body, dict(self.headers.items()))
        response = there.getresponse()
        content = response.read()
        there.close()
        return response.status, content

    def answer(self, status: int, content: bytes) -> None:
        """Answer the caller."""
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.0")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def before(endpoint: str) -> Iterator[Flaky]:
    """Stand before an emulator, on loopback."""
    with _Server(endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.flaky
        finally:
            server.shutdown()
