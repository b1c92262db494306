"""The bundled agent: a real LangGraph Server as a child of `serve`."""

import asyncio
import json
import logging
import shutil
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import aiohttp

from threadline.core.errors import AgentUnavailable
from threadline.local.child import Child

FIRST_PORT: Final = 21024
PORTS_TRIED: Final = 20
READY_WITHIN: Final = 120.0
RESTART_AFTER: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
STEADY_AFTER: Final = 60.0
"""Seconds of running after which an end counts as the first again."""

MARK: Final = "LANGSMITH_HOST_REVISION_ID"
"""An environment variable whose value the server gives back in `/info`."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Where the demo agent comes from and where it may run: program, graph folder, state, log."""

    program: Path
    graph: Path
    state: Path
    log: Path

    def missing(self) -> str:
        """Say what is not there, "" when all is."""
        if not self.program.exists():
            return f"{self.program} is not there: `make setup` installs it"
        return "" if self.graph.exists() else f"{self.graph} is not there"


@dataclass(slots=True)
class DemoAgent:
    """Starts the server, proves that it is ours, and starts it again when it dies."""

    bundle: Bundle
    environ: Mapping[str, str]
    new_mark: Callable[[], str]
    url: str = ""
    _child: Child | None = None
    _keeper: asyncio.Task[None] | None = None
    _started: float = 0.0
    _moved: list[Callable[[str], None]] = field(default_factory=list)

    def on_move(self, told: Callable[[str], None]) -> None:
        """Have `told` called with the address whenever it is another than before."""
        self._moved.append(told)

    async def start(self) -> str:
        """Start the server and give its address once it answers. Raises AgentUnavailable.

        Where a first start fails it is tried again in the background.
        """
        if missing := self.bundle.missing():
            raise AgentUnavailable(missing)
        await asyncio.to_thread(
            shutil.copytree, self.bundle.graph, self.bundle.state, dirs_exist_ok=True
        )
        first: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._keeper = asyncio.create_task(self._keep(first))
        return await first

    async def stop(self) -> None:
        """End the server."""
        if self._keeper:
            self._keeper.cancel()
        if self._child:
            await self._child.stop()

    async def _launch(self) -> None:
        for port in free_ports(FIRST_PORT, PORTS_TRIED):
            if await self._launch_on(port):
                return
        raise AgentUnavailable(f"no free port for the demo agent; see {self.bundle.log}")

    async def _launch_on(self, port: int) -> bool:
        """Start on this port; False where another server answers there: ours then moved away."""
        mark, url = self.new_mark(), f"http://127.0.0.1:{port}"
        self._child = child = await Child.start(
            command(self.bundle.program, port),
            cwd=self.bundle.state,
            environ={**self.environ, MARK: mark, "LANGGRAPH_NO_VERSION_CHECK": "true"},
            log=self.bundle.log,
        )
        try:
            shown = await asyncio.wait_for(shown_mark(url, child), READY_WITHIN)
        except TimeoutError:
            await child.stop()
            raise AgentUnavailable(
                f"no answer from the demo agent; see {self.bundle.log}"
            ) from None
        if shown != mark:
            await child.stop()
            return False
        if url != self.url:
            self.url = url
            for told in self._moved:
                told(url)
        return True

    async def _keep(self, first: asyncio.Future[str]) -> None:
        """Start the server whenever it does not run; `first` is told how the first start went."""
        failures, loop = 0, asyncio.get_running_loop()
        while True:
            try:
                await self._launch()
            except AgentUnavailable as error:
                why = str(error)
                if not first.done():
                    first.set_exception(error)
            else:
                if not first.done():
                    first.set_result(self.url)
                why = await self._run()
                failures = 0 if loop.time() - self._started > STEADY_AFTER else failures
            wait = RESTART_AFTER[min(failures, len(RESTART_AFTER) - 1)]
            failures += 1
            log.warning("%s; starting it again in %g s", why, wait)
            await asyncio.sleep(wait)

    async def _run(self) -> str:
        """Wait until the server ends and say how."""
        self._started = asyncio.get_running_loop().time()
        assert self._child is not None
        return f"the demo agent ended with status {await self._child.ended()}"


def command(program: Path, port: int) -> list[str]:
    """The command line of the server."""
    return [
        str(program), "dev", "--no-browser", "--no-reload",
        "--host", "127.0.0.1", "--port", str(port), "--n-jobs-per-worker", "10",
    ]  # fmt: skip


def free_ports(first: int, count: int) -> list[int]:
    """List the ports from `first` on that nobody listens on right now."""
    return [port for port in range(first, first + count) if is_free(port)]


def is_free(port: int) -> bool:
    """Tell whether a server could listen on the port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


async def shown_mark(url: str, child: Child) -> str:
    """Ask the server until it answers, and give the mark it shows ("" for none).

    Raises AgentUnavailable when the child ends first.
    """
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=2)) as session:
        while child.running:
            try:
                async with session.get(f"{url}/info") as response:
                    return read_mark(await response.content.read(65_536))
            except (aiohttp.ClientError, TimeoutError):
                await asyncio.sleep(0.1)
    raise AgentUnavailable("the demo agent ended while it started")


def read_mark(body: bytes) -> str:
    """Find the mark in the server's description of itself."""
    try:
        told = json.loads(body)["host"]["host_revision_id"]
    except (ValueError, KeyError, TypeError):
        return ""
    return str(told or "")
