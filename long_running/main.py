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
import threading
import time
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Final

from aiohttp import web

from long_running.following import Follower, room
from long_running.health import page
from long_running.host import Host
from long_running.peers import BEAT_EVERY, Peers
from long_running.sockets.making import Making
from threadline import wiring
from threadline.app.world import World
from threadline.backends.aws.log import event_lines, start_logging
from threadline.backends.aws.names import STAGE
from threadline.core.errors import StoreError

HEALTH: Final = "127.0.0.1:8421"
FOLLOW_EVERY: Final = 5.0
MOST_RUNS: Final = 2000
LEAVE_WITHIN: Final = 19.5

log = logging.getLogger("threadline")


async def run(environ: Mapping[str, str], stop: asyncio.Event) -> None:
    """Hold the sockets, and follow runs where that is asked for, until told to stop.

    Raises what ended one of these before that.
    """
    async with _world(environ) as world:
        host = Host(world, Making(world, wiring.ingest_of(world), random.random), log.info)
        follower = Follower(world.queues.runs, wiring.watch(world), room(MOST_RUNS))
        settings = asyncio.create_task(_follow(host, world))
        watches = environ.get("THREADLINE_WATCH_HOST") == "task"
        runs = [asyncio.create_task(follower.run())] if watches else []
        peers = [asyncio.create_task(_keep(Peers(world)))] if watches else []
        host.start()
        server = await _listen(host, world, environ.get("THREADLINE_HEALTH", HEALTH))
        asked = asyncio.create_task(stop.wait())
        ended, _ = await asyncio.wait(
            [asked, settings, *runs, *peers], return_when=asyncio.FIRST_COMPLETED
        )  # fmt: skip
        settings.cancel()
        follower.stop()
        await asyncio.gather(asyncio.to_thread(host.stop), *runs, return_exceptions=True)
        for one in peers:
            one.cancel()
        await asyncio.gather(*peers, return_exceptions=True)
        await server.cleanup()
        for task in ended - {asked}:
            task.result()


async def _follow(host: Host, world: World) -> None:
    """Hand the settings to the host again and again."""
    while True:
        try:
            host.follow(await asyncio.to_thread(world.settings))
        except StoreError as trouble:
            log.warning("settings: %s", trouble)
        await asyncio.sleep(FOLLOW_EVERY)


async def _keep(peers: Peers) -> None:
    """Look after the other tasks that follow runs, until cancelled; then leave."""
    try:
        while True:
            try:
                await asyncio.to_thread(peers.look)
            except StoreError as trouble:
                log.warning("followers: %s", trouble)
            await asyncio.sleep(BEAT_EVERY)
    finally:
        await asyncio.to_thread(peers.leave)


async def _listen(host: Host, world: World, where: str) -> web.AppRunner:
    address, _, port = where.rpartition(":")
    runner = web.AppRunner(page(host, world.clock.now), access_log=None, shutdown_timeout=1.0)
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


def _leave_in_time() -> None:
    """End this process before it is killed, also where a call to somebody hangs."""

    def leave() -> None:
        time.sleep(LEAVE_WITHIN)
        log.warning("leaving before everything was finished: what is not accepted comes again")
        os._exit(1)

    threading.Thread(target=leave, name="leaving", daemon=True).start()


def main() -> int:
    """Run until SIGTERM or Ctrl-C; 1 where a fault of ours ended it, or a call that hung."""

    async def until_told() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def told() -> None:
            if not stop.is_set():
                _leave_in_time()
            stop.set()

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, told)
        await run(os.environ, stop)

    try:
        asyncio.run(until_told())
    except Exception:
        log.exception("the task ended")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
