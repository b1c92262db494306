"""A process that holds Discord's socket on an embedded store, and one in this process."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from long_running.cursors import Cursors
from long_running.sockets.making import Making
from long_running.sockets.session import SessionSocket
from long_running.sockets.state import Backoff
from tests.simulation.discord import discord_settings
from tests.stubs.discord import BOT
from tests.stubs.discord_server import DiscordServer
from threadline import wiring
from threadline.app import codec, settings_items
from threadline.backends.http_asyncio import AsyncioHttp
from threadline.backends.http_blocking import BlockingHttp
from threadline.core.arrived import Arrived
from threadline.core.message import Message
from threadline.core.settings import Settings

SOON = 20.0
ROOT = Path(__file__).resolve().parents[3]


def settings_at(server: DiscordServer) -> Settings:
    """Give settings of an app at this Discord."""
    settings = discord_settings()
    (app,) = settings.apps
    return replace(settings, apps=(replace(app, base_url=server.url, identity=BOT),))


@contextmanager
def opened(folder: Path, server: DiscordServer) -> Iterator[wiring.LocalPorts]:
    """Open the store, with settings and the bot's token in it."""
    ports = wiring.local_ports(folder)
    ports.ports.secrets.put("discord/default", {"bot_token": server.stub.token})
    settings_items.store_settings(ports.ports.store, settings_at(server), time.time())
    try:
        yield ports
    finally:
        ports.close()


@contextmanager
def held(ports: wiring.LocalPorts) -> Iterator[SessionSocket]:
    """Hold the socket in this process while the block runs, without long waits."""
    http = BlockingHttp(ports.ports.blobs)
    socket = begun(ports, http)
    try:
        yield socket
    finally:
        assert socket.stop()
        http.close()


def begun(ports: wiring.LocalPorts, http: BlockingHttp) -> SessionSocket:
    """Begin to hold the socket of the stored settings."""
    transports = wiring.Transports(http, AsyncioHttp(ports.ports.blobs))
    world = wiring.world_of(ports.ports, silence, transports=transports)
    making = Making(world, wiring.ingest_of(world), lambda: 0.0)
    (wanted,) = making.wanted(world.settings())
    socket = making.make(wanted, lambda: True)
    assert isinstance(socket, SessionSocket)
    socket.backoff = Backoff(0.01, 0.05)
    socket.start()
    return socket


@contextmanager
def process(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Hold the socket in another process; what is left of it is killed at the end."""
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'layers/threadline'}"}
    task = subprocess.Popen(
        [sys.executable, "-m", "tests.unit.discord.holding", str(folder)], cwd=ROOT, env=environ,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield task
    finally:
        task.kill()
        task.wait()


def silence(event: str, **fields: str | float | bool) -> None:
    """Log nothing."""


@dataclass(slots=True)
class Found:
    """What came into the mailbox so far."""

    ports: wiring.LocalPorts
    messages: list[Message] = field(default_factory=list)

    def texts(self, number: int) -> bool:
        """Take what stands in the mailbox; tell whether there are so many texts by now."""
        queue = self.ports.ports.queues.mailbox
        while taken := queue.receive(10, visibility=60.0):
            for one in taken:
                mail = codec.decode(one.body)
                assert isinstance(mail, Arrived)
                self.messages.append(mail.message)
            queue.delete([one.receipt for one in taken])
        return len({one.text for one in self.messages}) >= number


def kept(ports: wiring.LocalPorts) -> Mapping[str, str]:
    """Give the cursor of the socket as it is stored."""
    (app,) = discord_settings().apps
    return Cursors(ports.ports.store, app).load()


def eventually(true: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.02)


if __name__ == "__main__":
    opened_here = wiring.local_ports(Path(sys.argv[1]))
    begun(opened_here, BlockingHttp(opened_here.ports.blobs))
    threading.Event().wait()
