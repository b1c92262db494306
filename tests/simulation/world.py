"""The whole path in virtual time: webhooks in, handlers fed as Lambda feeds them, stubs outside."""

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from functions.connect import handler as connect_handler
from functions.deliver import handler as deliver_handler
from functions.dispatch import handler as dispatch_handler
from functions.ingest import handler as ingest_handler
from functions.sweep import handler as sweep_handler
from tests import planted
from tests.simulation.agent import AgentStub
from tests.simulation.installed import Alone, Installed
from tests.simulation.network import AGENT, TELEGRAM, AsyncioStubs, BlockingStubs, Stubs
from tests.simulation.roles import RoleStore, role
from tests.stubs.telegram import TelegramStub
from threadline import wiring
from threadline.app.ingest import UNACCEPTED
from threadline.app.watch import Watch
from threadline.app.world import World
from threadline.backends.clock import VirtualClock
from threadline.backends.outgoing import Gate, OpenGate
from threadline.core.errors import StoreError
from threadline.core.ids import AgentName, AppName, BindingName, PlatformName
from threadline.core.ports import Queue, Received
from threadline.core.settings import AgentSettings, Allow, AppSettings, Binding, Settings
from threadline.local.sqs_event import Batch, failed_ids, sqs_event

SECRET = "a-webhook-secret"
NAMESPACE = "5b1b1f2e-0000-4000-8000-000000000001"
CHAT = 77
VISIBILITY = {"mailbox": 60.0, "outbox": 360.0, "timers": 60.0, "runs": 120.0}
REDELIVERIES, REDELIVERED_AFTER = 100, 5.0
BUSY_STEP, IDLE_STEP = 0.1, 0.05


class Killed(BaseException):
    """The process dies here."""


def settings_with(binding: Mapping[str, Any] | None = None, **agent: Any) -> Settings:
    """Give settings with one agent and a Telegram bot that answers everybody."""
    bound = Binding(
        name=BindingName("chat"), platform=PlatformName("telegram"), app=AppName("default"),
        agent=AgentName("demo"), allow=Allow(everyone=True),
    )  # fmt: skip
    return Settings(
        version="1", namespace=NAMESPACE,
        agents={
            AgentName("demo"): AgentSettings(
                name=AgentName("demo"), dialect="langgraph", url=AGENT, assistant="demo", **agent
            )
        },
        apps=(
            AppSettings(
                platform=PlatformName("telegram"), app=AppName("default"), identity="7000000001",
                identity_name="threadline_bot", base_url=TELEGRAM,
            ),
        ),
        bindings=(replace(bound, **(binding or {})),),
    )  # fmt: skip


@dataclass(slots=True)
class Simulation:
    """One installation; `gate` decides what becomes of each outgoing call.

    With `twins` every run is hinted to two followers of different processes. `slow` gives the
    seconds of calls by the beginning of their address; `longest` holds the most seconds that a
    call of each queue's handler took.
    """

    folder: Path
    settings: Settings = field(default_factory=settings_with)
    gate: Gate = field(default_factory=OpenGate)
    clock: VirtualClock = field(default_factory=VirtualClock)
    lines: list[dict[str, Any]] = field(default_factory=list)
    deaths: int = 0
    twins: bool = False
    slow: dict[str, float] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    agent: AgentStub = field(init=False)
    telegram: TelegramStub = field(init=False)
    ports: Installed = field(init=False)
    world: World = field(init=False)
    watch: Watch = field(init=False)
    twin: Watch = field(init=False)
    store: RoleStore = field(init=False)
    _loop: asyncio.AbstractEventLoop = field(init=False)
    _tasks: dict[asyncio.Task[None], str] = field(default_factory=dict)
    _ids: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _next_sweep: float = 0.0

    def __post_init__(self) -> None:
        planted.heard("the lines of the log", lambda: json.dumps(self.lines))
        self.agent = AgentStub(self.clock.now)
        self.telegram = TelegramStub(clock=self.clock.now)
        self.telegram.add_chat(CHAT)
        self.ports = self.installed()
        self.ports.ports.secrets.put(
            "telegram/default", {"bot_token": self.telegram.token, "webhook_secret": SECRET}
        )
        self._next_sweep = self.clock.now() + 60.0
        self._loop = self.clock.loop()
        self.store = RoleStore(self.ports.ports.store)
        self.boot()

    def installed(self) -> Installed:
        """Make what the installation is kept in."""
        return Alone.open(self.folder, self.clock)

    def close(self) -> None:
        """End what still runs and close the database."""
        self._loop.run_until_complete(self._end_tasks())
        self._loop.close()
        self.ports.close()

    def boot(self) -> None:
        """Begin a process anew on what is stored: nothing in memory survives."""
        stubs = self.stubs()
        stubs.slow = self.slow
        ports = replace(self.ports.ports, store=self.store)
        self.world = self._world(stubs, ports)
        self.watch = Watch(self.world, blocking=inline, renewing=inline)
        self.twin = Watch(self._world(stubs, ports), blocking=inline, renewing=inline)
        wiring.install(self.world)

    def stubs(self) -> Stubs:
        """Give what stands outside."""
        return Stubs(self.clock, self.agent, self.telegram, self.ports.ports.blobs)

    def _world(self, stubs: Stubs, ports: wiring.Ports) -> World:
        return wiring.world_of(
            ports, self._log, settings=lambda: self.settings, gate=self.gate,
            transports=wiring.Transports(BlockingStubs(stubs), AsyncioStubs(stubs)),
            random=lambda: f"{next(self._ids):08x}",
        )  # fmt: skip

    def post(self, update: Mapping[str, Any], *, secret: str = SECRET) -> dict[str, Any]:
        """Send an update to the webhook; give the answer, status 0 where the process died."""
        try:
            return ingest_handler.handler(event_of(update, secret), None)
        except Killed:
            self.kill()
            return {"statusCode": 0}

    def write(self, text: str, *, chat: int = CHAT, **more: Any) -> dict[str, Any]:
        """Let a person write to the bot; the update is sent until accepted, and given back."""
        update = self.telegram.say(chat, text, **more)
        update["message"]["date"] = int(self.clock.now())
        self.insist(update)
        return update

    def insist(self, update: Mapping[str, Any]) -> None:
        """Send an update until it is accepted, as the platform does."""
        for _ in range(REDELIVERIES):
            if self.post(update)["statusCode"] == 200:
                return
            self.clock.advance(REDELIVERED_AFTER)
        raise AssertionError("the update was never accepted")

    def callback(self, agent: str, body: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
        """Let an agent call back."""
        event = event_of(body, "") | {"headers": dict(headers), "pathParameters": {"agent": agent}}
        return connect_handler.handler(event, None)

    def shown(self, chat: int = CHAT) -> list[str]:
        """Give what the bot's posts in the chat say, oldest first."""
        return [one.text for one in self.telegram.shown(chat) if one.by_bot]

    def place(self, chat: int = CHAT) -> str:
        """Name a chat as the ledger does."""
        return f"telegram/default//{chat}"

    def asked(self) -> list[str]:
        """Give what each run was asked, in order."""
        return [str(run.human["content"]) for run in self.agent.runs()]

    def steps(self) -> list[str]:
        """Give the steps that the log tells of, in order."""
        return [str(line.get("step")) for line in self.lines if line["event"] == "step"]

    def run(self, seconds: float = 7200.0, *, until: Callable[[], bool] | None = None) -> None:
        """Let everything happen until nothing is left to do, or a condition, or the time is up."""
        self._loop.run_until_complete(self._run(self.clock.now() + seconds, until))

    async def _run(self, end: float, until: Callable[[], bool] | None) -> None:
        while self.clock.now() < end and not (until and until()):
            try:
                busy = self._pump()
            except Killed:
                await self._die()
                continue
            await self._reap()
            if not busy and self.quiet():
                return
            await asyncio.sleep(BUSY_STEP if busy or self._tasks else self._idle_step())

    def _idle_step(self) -> float:
        """Give the seconds until something can happen, nobody following a run."""
        waiting = [name for name in VISIBILITY if self.ports.depth(name)]
        ready = [self.ports.ready_in(name) for name in waiting]
        return max(min([*ready, self._next_sweep - self.clock.now()]), IDLE_STEP)

    def quiet(self) -> bool:
        """Tell whether nothing is left to do."""
        return not (
            self._tasks
            or any(self.ports.depth(name) for name in VISIBILITY)
            or self.ports.is_due()
            or self.ports.ports.blobs.names(UNACCEPTED, limit=1)
        )

    def _pump(self) -> bool:
        busy = False
        for name, who, handler in (
            ("mailbox", "dispatch", dispatch_handler.handler),
            ("outbox", "deliver", deliver_handler.handler),
            ("timers", "sweep", sweep_handler.handler),
        ):
            with role(who):
                busy = self._feed(name, handler) or busy
        busy = self._follow_more() or busy
        if self.clock.now() >= self._next_sweep:
            self._next_sweep = self.clock.now() + 60.0
            self.sweep()
        return busy

    def sweep_now(self) -> None:
        """Let the sweep look between two runs of the simulation."""
        try:
            self.sweep()
        except Killed:
            self.kill()

    def sweep(self) -> None:
        """Let the sweep look once; what fails is found the next time."""
        with contextlib.suppress(StoreError), role("sweep"):
            sweep_handler.handler({"source": "aws.events"}, None)

    def _feed(self, name: str, handler: Callable[..., Any]) -> bool:
        messages = self._received(name, 1)
        if not messages:
            return False
        batch = Batch(name, name == "mailbox", messages)
        began = self.clock.now()
        with contextlib.suppress(StoreError):
            failed = failed_ids(handler(sqs_event(batch), None), messages)
            handled = (one.receipt for one in messages if one.id not in failed)
            self._queue(name).delete(dict.fromkeys(handled))
        self.longest[name] = max(self.longest.get(name, 0.0), self.clock.now() - began)
        return True

    def _received(self, name: str, limit: int) -> tuple[Received, ...]:
        if not self.ports.may_give(name):
            return ()
        return self._queue(name).receive(limit, visibility=VISIBILITY[name])

    def _follow_more(self) -> bool:
        """Follow what is hinted; tell whether anything is."""
        messages = self._received("runs", 10)
        for message in messages:
            with role("watch"):
                task = asyncio.ensure_future(self._follow(message.body))
            self._tasks[task] = message.receipt
        return bool(messages)

    async def _follow(self, body: str) -> None:
        followers = [self.watch, self.twin] if self.twins else [self.watch]
        await asyncio.gather(*(one.follow(body) for one in followers))

    async def _reap(self) -> None:
        for task in [task for task in self._tasks if task.done()]:
            receipt = self._tasks.pop(task)
            error = task.exception()
            if isinstance(error, Killed):
                await self._die()
                return
            if error is None:
                self._queue("runs").delete([receipt])

    def kill(self) -> None:
        """Let the process die now and another begin."""
        self._loop.run_until_complete(self._die())

    async def _die(self) -> None:
        """End the process: followers vanish with it, what was received comes again later."""
        self.deaths += 1
        await self._end_tasks()
        self.boot()

    async def _end_tasks(self) -> None:
        tasks, self._tasks = list(self._tasks), {}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _queue(self, name: str) -> Queue:
        found: Queue = getattr(self.ports.ports.queues, name)
        return found

    def _log(self, event: str, **fields: str | float | bool) -> None:
        self.lines.append({"event": event, "at": self.clock.now(), **fields})


async def inline[T](work: Callable[[], T]) -> T:
    """Do blocking work at once, in the loop."""
    return work()


def event_of(update: Mapping[str, Any], secret: str) -> dict[str, Any]:
    """Make the HTTP API event of an update."""
    return {
        "version": "2.0",
        "rawPath": "/webhooks/telegram",
        "headers": {
            "content-type": "application/json",
            "x-telegram-bot-api-secret-token": secret,
        },
        "requestContext": {"http": {"method": "POST", "path": "/webhooks/telegram"}},
        "pathParameters": {"platform": "telegram"},
        "body": json.dumps(update),
        "isBase64Encoded": False,
    }
