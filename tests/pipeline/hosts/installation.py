"""An installation on one state folder: long-running tasks as processes, its functions beside."""

import asyncio
import functools
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from functions.deliver.handler import handler as deliver
from functions.dispatch.handler import handler as dispatch
from functions.sweep.handler import handler as sweep
from long_running.following import Follower
from tests.pipeline.agent_server import free_port
from tests.pipeline.serving import environ_of, until
from threadline import wiring
from threadline.app import settings_items
from threadline.app.watch import Watch
from threadline.app.world import World
from threadline.core.ids import AgentName, BindingName
from threadline.core.settings import AgentSettings, Allow, AppSettings, Binding, Settings
from threadline.local.clockwork import schedule_event
from threadline.local.function import Function
from threadline.local.hosting import sources
from threadline.local.worker import Worker

SWEEP_EVERY = 2.0


@dataclass(slots=True)
class Task:
    """A long-running task as a process of its own."""

    process: subprocess.Popen[bytes]
    port: int

    def socket(self, name: str) -> Mapping[str, Any]:
        """Ask it how a socket is doing; {} where it does not say."""
        found: Mapping[str, Any] = self.health().get("sockets", {}).get(name, {})
        return found

    def health(self) -> Mapping[str, Any]:
        """Ask it how it is doing; {} where it does not answer."""
        try:
            told = httpx.get(f"http://127.0.0.1:{self.port}/health", timeout=5, trust_env=False)
        except httpx.TransportError:
            return {}
        answer: Mapping[str, Any] = told.json()
        return answer

    def becomes(self, name: str, state: str) -> float:
        """Wait for a state of a socket; give the seconds it took."""
        began = time.monotonic()
        until(
            lambda: self.socket(name).get("state") == state, lambda: f"{state}: {self.socket(name)}"
        )
        return time.monotonic() - began

    def kill(self) -> None:
        """Kill -9."""
        self.process.kill()
        self.process.wait(30)

    def leave(self) -> tuple[int, float]:
        """Ask it to end; give its exit status and the seconds it took."""
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60), time.monotonic() - began


@contextmanager
def task(
    folder: Path, environ: Mapping[str, str] | None = None, *, follows: bool = False
) -> Iterator[Task]:
    """Run a task on a state folder, or in the surroundings that are given."""
    port = free_port()
    more = {"THREADLINE_HEALTH": f"127.0.0.1:{port}"}
    more |= {"THREADLINE_WATCH_HOST": "task"} if follows else {}
    more |= {"THREADLINE_STATE_FOLDER": str(folder)} if environ is None else environ
    with (folder / f"task-{port}.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "long_running.main"], env=environ_of(more),
            stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
        )  # fmt: skip
        try:
            yield Task(process, port)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait(30)


@dataclass(slots=True)
class Installation:
    """A state folder with one app that answers everybody."""

    folder: Path
    local: wiring.LocalPorts

    def logs(self) -> str:
        """Give everything that the tasks wrote."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("task-*.log")))


@contextmanager
def installed(
    folder: Path,
    app: AppSettings,
    secrets: Mapping[str, str],
    agent: str,
    *,
    follows: bool = True,
    sweep_every: float = SWEEP_EVERY,
) -> Iterator[Installation]:
    """Configure an app and an agent, and run everything beside sockets as the stack does.

    Without `follows` runs are left to the tasks.
    """
    local = wiring.local_ports(folder)
    settings_items.store_settings(local.ports.store, answering(app, agent), time.time())
    local.ports.secrets.put(f"{app.platform}/{app.app}", secrets)
    world = wiring.world_of(local.ports, _unsaid)
    wiring.install(world)
    make = functools.partial(Function, clock=world.clock, new_id=lambda: uuid.uuid4().hex)
    sweeping = make("sweep", sweep, 60.0)
    dispatching, delivering = make("dispatch", dispatch, 30.0), make("deliver", deliver, 60.0)
    queues = sources(world, dispatch=dispatching, deliver=delivering, sweep=sweeping)
    workers = [Worker(source) for source in queues]
    for worker in workers:
        worker.start()
    try:
        following = _following(world) if follows else nullcontext()
        with following, _every(sweep_every, lambda: sweeping(_now(world))):
            yield Installation(folder, local)
    finally:
        for worker in workers:
            worker.stop()
        for worker in workers:
            worker.join()
        local.close()


def answering(app: AppSettings, url: str) -> Settings:
    """Give settings with this app, whose bot answers everybody by the agent at this address."""
    agent = AgentSettings(name=AgentName("demo"), dialect="langgraph", url=url, assistant="demo")
    binding = Binding(
        name=BindingName("chat"), platform=app.platform, app=app.app, agent=agent.name,
        allow=Allow(everyone=True),
    )  # fmt: skip
    return Settings(
        version="1", namespace=str(uuid.uuid4()), agents={agent.name: agent}, apps=(app,),
        bindings=(binding,),
    )  # fmt: skip


def _now(world: World) -> dict[str, Any]:
    return schedule_event(world.clock.now(), "")


@contextmanager
def _following(world: World) -> Iterator[None]:
    """Follow runs beside the block."""
    follower = Follower(world.queues.runs, Watch(world))
    thread = threading.Thread(target=lambda: asyncio.run(follower.run()), daemon=True)
    thread.start()
    try:
        yield
    finally:
        follower.stop()
        thread.join(60)


def _unsaid(event: str, **fields: str | float | bool) -> None:
    """Log nothing."""


@contextmanager
def _every(seconds: float, act: Callable[[], object]) -> Iterator[None]:
    """Do something again and again beside the block."""
    stopping = threading.Event()

    def run() -> None:
        while not stopping.wait(seconds):
            act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopping.set()
        thread.join(60)
