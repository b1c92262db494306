"""Lambda's Runtime API on loopback, and a function's process that works through it.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import os
import queue
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from threading import Thread
from typing import Any, Final

RUNTIME: Final = ("awslambdaric", "simplejson", "snapshot-restore-py")
ARN: Final = "arn:aws:lambda:eu-central-1:123456789012:function:ingest"


class FunctionFailed(Exception):
    """The function reported an error, or ended; its text is what it said."""


@dataclass
class Invocation:
    """One event on its way, and what came of it."""

    event: Any
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    deadline: float = 0.0


class RuntimeApi(ThreadingHTTPServer):
    """Hands out events and takes answers: next, response, error, init/error and restore/next."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.waiting: queue.SimpleQueue[Invocation] = queue.SimpleQueue()
        self.outcomes: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # else every header line is a packet of its own, each waiting for the last one
    disable_nagle_algorithm = True
    server: RuntimeApi

    def do_GET(self) -> None:
        if self.path.endswith("/restore/next"):  # a snapshot was taken, and is restored at once
            self.answer(200, b"{}", {})
            return
        invocation = self.server.waiting.get()
        headers = {
            "Lambda-Runtime-Aws-Request-Id": invocation.id,
            "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
            "Lambda-Runtime-Invoked-Function-Arn": ARN,
            "Lambda-Runtime-Trace-Id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700",
        }
        self.answer(200, json.dumps(invocation.event).encode(), headers)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.outcomes.put((self.path.rpartition("/")[2], json.loads(body)))
        self.answer(202, b'{"status":"OK"}', {})

    def answer(self, status: int, body: bytes, headers: Mapping[str, str]) -> None:
        """Answer the function's process."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@dataclass
class Function:
    """A function's running process."""

    api: RuntimeApi
    process: subprocess.Popen[bytes]
    said: Path

    def invoke(self, event: Any, seconds: float = 20.0) -> Any:
        """Give the function's answer to an event. Raises FunctionFailed."""
        self.api.waiting.put(Invocation(event, deadline=time.time() + seconds))
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            try:
                kind, content = self.api.outcomes.get(timeout=0.2)
            except queue.Empty:
                if self.process.poll() is None:
                    continue
                break
            if kind == "response":
                return content
            raise FunctionFailed(json.dumps(content))
        raise FunctionFailed(f"no answer; it said:\n{self.output()}")

    def output(self) -> str:
        """Give what the function has written so far."""
        return self.said.read_text(encoding="utf-8")


@contextmanager
def booted(
    task: Path, layers: Sequence[Path], environ: Mapping[str, str], folder: Path
) -> Iterator[Function]:
    """Start a built function as Lambda does, from its own folders and nothing else of ours."""
    said = folder / "said.log"
    with RuntimeApi() as api, said.open("wb") as output:
        Thread(target=api.serve_forever, daemon=True).start()
        path = [task, *(layer / "python" for layer in layers), runtime(folder / "runtime")]
        process = subprocess.Popen(
            # Without site: nothing that happens to be installed here can stand in for a layer.
            [sys.executable, "-S", "-B", "-m", "awslambdaric", "handler.handler"],
            cwd=task,
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": os.pathsep.join(map(str, path)),
                "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{api.server_port}",
                "AWS_LAMBDA_FUNCTION_NAME": "ingest",
                "LAMBDA_TASK_ROOT": str(task),
                "_HANDLER": "handler.handler",
                **environ,
            },
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )
        try:
            yield Function(api, process, said)
        finally:
            process.kill()
            process.wait(10)
            api.shutdown()


def runtime(folder: Path) -> Path:
    """Lay out Lambda's own runtime client by itself."""
    folder.mkdir()
    for name in RUNTIME:
        files = distribution(name).files or []
        for top in {file.parts[0] for file in files if ".dist-info" not in file.parts[0]}:
            (folder / top).symlink_to(Path(str(distribution(name).locate_file(top))))
    return folder
