"""A relay that behaves as it likes: a WebSocket server whose every word a test writes."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

type Behaviour = Callable[["RudeRelay", ServerConnection], None]


@dataclass(slots=True)
class RudeRelay:
    """Where it is, what it was told, and how often somebody came."""

    port: int = 0
    heard: list[str] = field(default_factory=list)
    came: int = 0

    @property
    def url(self) -> str:
        """Its address."""
        return f"ws://127.0.0.1:{self.port}"

    def hear(self, line: ServerConnection, seconds: float = 10.0) -> str:
        """Wait for a frame and keep it."""
        frame = line.recv(seconds)
        assert isinstance(frame, str)
        self.heard.append(frame)
        return frame


@contextmanager
def rude_relay(behaviour: Behaviour) -> Iterator[RudeRelay]:
    """Run a relay that treats each connection as told."""
    relay = RudeRelay()

    def handle(line: ServerConnection) -> None:
        relay.came += 1
        with suppress(ConnectionClosed, TimeoutError):
            behaviour(relay, line)

    with serve(handle, "127.0.0.1", 0, max_size=None, ping_interval=None) as server:
        relay.port = server.socket.getsockname()[1]
        running = threading.Thread(target=server.serve_forever, daemon=True)
        running.start()
        try:
            yield relay
        finally:
            server.shutdown()
            running.join(10)
