"""The running parts of `serve`: front door, workers, watch and sweep, opened and drained as one."""

import asyncio
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from socket import socket
from typing import Final

from aiohttp import web

from long_running.following import Follower, Follows, room
from threadline.app.world import World
from threadline.local.clockwork import sweep_every_minute
from threadline.local.front_door import FrontDoor
from threadline.local.function import Function, Handler
from threadline.local.http_event import Route
from threadline.local.worker import Source, Worker


@dataclass(frozen=True, slots=True)
class Handlers:
    """The functions' handlers: the same that Lambda calls."""

    ingest: Handler
    connect: Handler
    dispatch: Handler
    deliver: Handler
    sweep: Handler


INGEST_ROUTES: Final = (
    Route("POST", "/webhooks/{platform}"),
    Route("POST", "/webhooks/{platform}/{app}"),
)
CONNECT_ROUTES: Final = (Route("POST", "/agents/{agent}/ended"),)
MOST_RUNS: Final = 2000


class Hosting:
    """Everything that handles something; made inside the running loop."""

    def __init__(
        self,
        world: World,
        handlers: Handlers,
        watch: Follows,
        new_id: Callable[[], str],
        pages: Sequence[web.AbstractRouteDef] = (),
        most_runs: int = MOST_RUNS,
    ) -> None:
        clock = world.clock
        make = functools.partial(Function, clock=clock, new_id=new_id)
        ingest = make("ingest", handlers.ingest, 10.0)
        connect = make("connect", handlers.connect, 10.0)
        sweep = make("sweep", handlers.sweep, 60.0)
        routes = [(route, ingest) for route in INGEST_ROUTES]
        routes += [(route, connect) for route in CONNECT_ROUTES]
        self._door = FrontDoor(routes, clock, new_id, pages)
        self._workers = [
            Worker(source)
            for source in sources(
                world,
                dispatch=make("dispatch", handlers.dispatch, 30.0),
                deliver=make("deliver", handlers.deliver, 60.0),
                sweep=sweep,
            )
        ]
        self._follower = Follower(world.queues.runs, watch, room(most_runs))
        self._sweep = functools.partial(sweep_every_minute, sweep, clock, new_id)
        self._following: asyncio.Task[None] | None = None
        self._sweeping: asyncio.Task[None] | None = None

    async def open(self, listener: socket) -> None:
        """Start everything; requests last, when whatever they lead to runs."""
        for worker in self._workers:
            worker.start()
        self._following = asyncio.create_task(self._follower.run(), name="watch")
        self._sweeping = asyncio.create_task(self._sweep(), name="sweep")
        await self._door.open(listener)

    @property
    def endless(self) -> tuple[asyncio.Task[None], ...]:
        """What runs until it is stopped: one that ends before is broken."""
        return tuple(task for task in (self._following, self._sweeping) if task)

    async def drain(self) -> None:
        """Accept nothing more, finish what is in flight, hand over what is being followed."""
        await self._door.close()
        for worker in self._workers:
            worker.stop()
        self._follower.stop()
        if self._sweeping:
            self._sweeping.cancel()
        if self.endless:
            await asyncio.wait(self.endless)
        for worker in self._workers:
            await asyncio.to_thread(worker.join)


def sources(
    world: World, *, dispatch: Function, deliver: Function, sweep: Function
) -> tuple[Source, ...]:
    """List the queues with their functions, as the deployed stack maps them."""
    queues = world.queues
    return (
        Source(
            name="mailbox", queue=queues.mailbox, fifo=True, function=dispatch,
            parallel=8, visibility=60.0,
        ),
        Source(
            name="outbox", queue=queues.outbox, fifo=False, function=deliver,
            parallel=4, visibility=360.0,
        ),
        Source(
            name="timers", queue=queues.timers, fifo=False, function=sweep,
            batch=10, parallel=1, visibility=60.0,
        ),
    )  # fmt: skip
