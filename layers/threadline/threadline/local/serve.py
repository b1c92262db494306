"""`threadline serve`: everything in one process, from the lock on the folder to the last drain."""

import asyncio
import contextlib
import os
import random
import secrets
import socket
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from functions.connect.handler import handler as connect
from functions.deliver.handler import handler as deliver
from functions.dispatch.handler import handler as dispatch
from functions.ingest.handler import handler as ingest
from functions.sweep.handler import handler as sweep
from long_running.host import Host
from long_running.sockets.making import Making
from threadline import wiring
from threadline.app.world import World
from threadline.backends.log_lines import place
from threadline.local import welcome
from threadline.local.admitting import Invitations
from threadline.local.agents import Agents
from threadline.local.clockwork import expire_every_hour
from threadline.local.configuration import Configuration
from threadline.local.demo_agent import Bundle, DemoAgent
from threadline.local.folder import Serving, StateFolder
from threadline.local.front_door import listen
from threadline.local.hosting import MOST_RUNS, Handlers, Hosting
from threadline.local.log import start_logging
from threadline.local.playground.serving import Playground
from threadline.local.standing import Standing, Told, opened
from threadline.local.stopping import Stop
from threadline.local.upkeep import Upkeep

CHECKOUT: Final = Path(__file__).resolve().parents[4]
FIRST_PORT: Final = 8420
HANDLERS: Final = Handlers(ingest, connect, dispatch, deliver, sweep)
NOWHERE: Final = "http://the-demo-agent.invalid"
"""Stands for the demo agent until it answers; nobody listens there."""

type Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Options:
    """How `serve` was started: where the configuration is, where its state (both absolute).

    At most `most_runs` are followed at once. `environ` is passed on to the demo agent.
    """

    root: Path
    folder: Path
    told: Told = Told()
    port: int = FIRST_PORT
    most_runs: int = MOST_RUNS
    environ: Mapping[str, str] = field(default_factory=dict, repr=False)


async def serve(options: Options, say: Say) -> int:
    """Serve until told to stop; 1 where a fault of ours ended it.

    Raises FolderTaken, ConfigError and StoreError.
    """
    folder = StateFolder(options.folder)
    folder.prepare()
    with folder.taken():
        start_logging(folder.logs, terminal=True)
        async with opened(folder, options.told) as standing:
            stop = Stop(say)
            stop.on_signals()
            return await Serve(options, folder, standing, stop, say).run()


@dataclass(slots=True)
class Serve:
    """One run on an opened folder."""

    options: Options
    folder: StateFolder
    standing: Standing
    stop: Stop
    say: Say

    async def run(self) -> int:
        """Start the agent, then everything else; drain when told to stop."""
        sound = True
        listener = self._listen()
        configuration = self.standing.configuration(self.options.root)
        async with contextlib.AsyncExitStack() as stack:
            stack.enter_context(contextlib.closing(listener))
            if self._wants_demo(configuration):
                demo = self._demo_agent()
                stack.push_async_callback(demo.stop)
                await self._start(demo)
            if not self.stop.asked:
                sound = await self._serve(configuration, listener)
        self.say("Stopped. What was accepted is kept and goes on at the next start.")
        return 0 if sound else 1

    def _listen(self) -> socket.socket:
        """Take a port before anything else, since settings name it."""
        listener = listen(self.options.port)
        if listener.getsockname()[1] != self.options.port:
            self.say(f"Port {self.options.port} is taken: using {url_of(listener)}")
        self.standing.dressing.playground = url_of(listener) + Playground.BASE
        self.standing.links.base = url_of(listener)
        return listener

    def _wants_demo(self, configuration: Configuration) -> bool:
        """Tell whether the configuration leaves the answering to the bundled agent."""
        self.standing.demo_url = NOWHERE
        configuration.refresh()
        agents = self.standing.world.settings().agents.values()
        wanted = any(agent.url == NOWHERE for agent in agents)
        if not wanted:
            self.standing.demo_url = ""
        return wanted

    def _demo_agent(self) -> DemoAgent:
        bundle = Bundle(
            program=CHECKOUT / ".tools/agent/bin/langgraph",
            graph=CHECKOUT / "demo_agent",
            state=self.folder.agent,
            log=self.folder.agent_log,
        )
        demo = DemoAgent(bundle, self.options.environ, new_mark=lambda: secrets.token_hex(16))
        demo.on_move(self._demo_moved)
        return demo

    def _demo_moved(self, url: str) -> None:
        self.standing.demo_url = url

    async def _start(self, demo: DemoAgent) -> None:
        self.say("Starting the demo agent, a LangGraph Server: about 3 s…")
        starting = asyncio.ensure_future(demo.start())
        await self.stop.or_done(starting)
        if starting.done() and (error := starting.exception()):
            self.say(f"The demo agent did not start: {error}")

    async def _serve(self, configuration: Configuration, listener: socket.socket) -> bool:
        world, program = self.standing.world, self.options.told.program
        wiring.install(world)
        playground = Playground(self.folder.path, world, lambda: secrets.token_hex(32), program)
        hosting = Hosting(
            world, HANDLERS, wiring.watch(world), lambda: uuid.uuid4().hex,
            [
                *welcome.routes(world.settings), *playground.routes(),
                *self.standing.links.routes(world.blobs),
            ],
            self.options.most_runs,
        )  # fmt: skip
        sockets = self._sockets(world)
        invitations = Invitations(world, secrets.token_bytes)
        upkeep = Upkeep(
            self.standing, configuration, sockets, invitations, url_of(listener), self.say
        )
        await asyncio.to_thread(upkeep.look)
        await hosting.open(listener)
        sockets.start()
        self.folder.announce(Serving(os.getpid(), url_of(listener), world.clock.now()))
        beside = (
            asyncio.create_task(upkeep.keep_up(), name="upkeep"),
            asyncio.create_task(Agents(world, self.say).keep_looking(), name="agents"),
            asyncio.create_task(expire_every_hour(world.blobs, world.clock), name="old bodies"),
        )
        await self.stop.or_done(*hosting.endless, *beside)
        sound = self._all_sound(*hosting.endless, *beside)
        self.folder.withdraw()
        await asyncio.to_thread(sockets.stop)
        for task in beside:
            task.cancel()
        playground.close()
        await hosting.drain()
        playground.shut()
        return sound

    def _sockets(self, world: World) -> Host:
        """Make the host of the sockets; under the folder's lock no other process holds one."""

        def say(line: str) -> None:
            self.say(line.replace(": threadline ", f": {self.options.told.program} "))

        return Host(world, Making(world, wiring.ingest(), random.random), say, alone=True)

    def _all_sound(self, *endless: asyncio.Task[None]) -> bool:
        ended = [task for task in endless if task.done()]
        for task in ended:
            error, name = task.exception(), task.get_name()
            what = f"{type(error).__name__} at {place(error)}" if error else "without an error"
            self.say(f"A fault of ours ended {name}: {what}")
        return not ended


def url_of(listener: socket.socket) -> str:
    """Give the address of the front door on this machine."""
    return f"http://127.0.0.1:{listener.getsockname()[1]}"
