"""A real LangGraph Server for the tests, with the demo agent's graph in it."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.peers import ROOT, path_of

MARK = "LANGSMITH_HOST_REVISION_ID"
"""What this variable holds is in `/info`: on a taken port another server would answer."""

DEMO = ROOT / "demo_agent"
READY_WITHIN = 120.0
ENDS_WITHIN = 20.0


@dataclass(slots=True)
class AgentServer:
    """A server on a port of its own, run in a copy of an agent's folder."""

    folder: Path
    port: int
    mark: str
    process: subprocess.Popen[bytes]

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    @classmethod
    def start(
        cls, folder: Path, *, headers: Mapping[str, str] | None = None, source: Path = DEMO
    ) -> "AgentServer":
        """Start a server and wait until it answers; `headers` go out with its webhooks."""
        shutil.copytree(source, folder, dirs_exist_ok=True)
        configuration = json.loads((folder / "langgraph.json").read_text())
        configuration["webhooks"]["headers"] = dict(headers or {})
        (folder / "langgraph.json").write_text(json.dumps(configuration))
        port, mark = free_port(), uuid.uuid4().hex
        server = cls(folder, port, mark, _launch(folder, port, mark))
        server._wait_until_ready()
        return server

    def kill(self) -> None:
        """End it without any notice, and whatever it started with it."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(ENDS_WITHIN)

    def restart(self) -> None:
        """Start it again on the same port after it ended."""
        self.process = _launch(self.folder, self.port, self.mark)
        self._wait_until_ready()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                log = (self.folder / "server.log").read_text(errors="replace")
                self.kill()
                raise RuntimeError(f"the LangGraph Server did not start:\n{log[-2000:]}")
            time.sleep(0.1)

    def _answers(self) -> bool:
        try:
            told = httpx.get(f"{self.url}/info", trust_env=False, timeout=2).json()
        except httpx.TransportError:
            return False
        return bool(told["host"]["host_revision_id"] == self.mark)


@contextlib.contextmanager
def agent_server(
    folder: Path, *, headers: Mapping[str, str] | None = None, source: Path = DEMO
) -> Iterator[AgentServer]:
    """Run a server for as long as the block lasts, by default with the demo agent in it."""
    server = AgentServer.start(folder, headers=headers, source=source)
    try:
        yield server
    finally:
        server.kill()


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _launch(folder: Path, port: int, mark: str) -> subprocess.Popen[bytes]:
    command = [
        str(path_of("langgraph")), "dev", "--no-browser", "--no-reload",
        "--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "4",
    ]  # fmt: skip
    environ = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        MARK: mark,
    }
    with (folder / "server.log").open("ab") as log:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
