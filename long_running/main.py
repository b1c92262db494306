"""The long-running task: holds the sockets, until it is asked to end.

`THREADLINE_HEALTH` is where `/health` listens (127.0.0.1:8421), `THREADLINE_STATE_FOLDER` an
embedded store in place of the stack's resources, `THREADLINE_WATCH_HOST=task` follows runs here.
"""

import asyncio
import contextlib
import logging
import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

from aiohttp import web

from long_running.following import Follower
from long_running.health import page
from long_running.host import Host
from long_running.sockets.making import Making
from threadline import wiring
from threadline.app.watch import Watch
from threadline.app.world import World
from threadline.backends.aws.log import event_lines, start_logging
from threadline.backends.aws.names import STAGE
from threadline.core.errors import StoreError

HEALTH: Final = "127.0.0.1:8421"
FOLLOW_EVERY: Final = 5.0
MOST_RUNS: Final = 2000

log = logging.getLogger("threadline")


async def run(environ: Mapping[str, str], stop: asyncio.Event) -> None:
    """Hold the sockets, and follow runs where that is asked for, until told to stop."""
    async with _world(environ) as world:
        making = Making(world, wiring.ingest_of(world), random.random)
        host = Host(world, making, log.info)
        follower = Follower(world.queues.runs, Watch(world), MOST_RUNS)
        watches = environ.get("THREADLINE_WATCH_HOST") == "task"
        watching = asyncio.create_task(follower.run()) if watches else None
        host.start()
        server = await _listen(host, world, environ.get("THREADLINE_HEALTH", HEALTH))
        try:
            await _follow(host, world, stop)
        finally:
            follower.stop()
            await asyncio.to_thread(host.stop)
            if watching is not None:
                await watching
            await server.cleanup()


async def _follow(host: Host, world: World, stop: asyncio.Event) -> None:
    """Hand the settings to the host again and again."""
    while not stop.is_set():
        try:
            host.follow(await asyncio.to_thread(world.settings))
        except StoreError as trouble:
            log.warning("settings: %s", trouble)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FOLLOW_EVERY):
                await stop.wait()


async def _listen(host: Host, world: World, where: str) -> web.AppRunner:
    address, _, port = where.rpartition(":")
    runner = web.AppRunner(page(host, world.clock.now), access_log=None)
    await runner.setup()
    await web.TCPSite(runner, address or "127.0.0.1", int(port)).start()
    return runner


@contextlib.asynccontextmanager
async def _world(environ: Mapping[str, str]) -> AsyncIterator[World]:
    folder = environ.get("THREADLINE_STATE_FOLDER", "")
    if not folder:
        yield wiring.aws_world(environ)
        return
    start_logging()
    local = wiring.local_ports(Path(folder))
    try:
        yield wiring.world_of(local.ports, event_lines(environ.get(STAGE, "dev")))
    finally:
        local.close()


def main() -> int:
    """Run until SIGTERM or Ctrl-C; 1 where a fault of ours ended it."""

    async def until_told() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        await run(os.environ, stop)

    try:
        asyncio.run(until_told())
    except Exception:
        log.exception("the task ended")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
