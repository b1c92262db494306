"""The other end of Socket Mode: a WebSocket server on 127.0.0.1 that sends and awaits answers.

with SlackStub() as slack, SlackSockets() as sockets:
    slack.socket_url = sockets.url
    ...                                     # connect
    sockets.send("events_api", slack.say("D0ADA00001", "hello"))
    assert sockets.acknowledged == ["env-1"]
"""

import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve


@dataclass(slots=True)
class SlackSockets:
    """Greets whoever connects; `silent` does not."""

    silent: bool = False
    url: str = ""
    answers: list[Mapping[str, Any]] = field(default_factory=list)
    connections: list[ServerConnection] = field(default_factory=list)
    _server: Server | None = None
    _sent: int = 0

    def __enter__(self) -> Self:
        self._server = serve(self._talk, "127.0.0.1", 0)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.url = f"ws://127.0.0.1:{self._server.socket.getsockname()[1]}/link/?ticket=of-nobody"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for connection in self.connections:
            connection.close()
        if self._server is not None:
            self._server.shutdown()

    @property
    def acknowledged(self) -> list[str]:
        """The envelopes that were acknowledged, in order."""
        return [str(answer["envelope_id"]) for answer in self.answers]

    def send(self, kind: str, payload: Mapping[str, Any], envelope: str = "") -> str:
        """Send an envelope over the newest connection and give its id."""
        self._sent += 1
        envelope = envelope or f"env-{self._sent}"
        told = {
            "type": kind, "envelope_id": envelope, "payload": payload,
            "accepts_response_payload": kind == "slash_commands",
        }  # fmt: skip
        self.connections[-1].send(json.dumps(told))
        return envelope

    def ask_to_move(self) -> None:
        """Announce that the newest connection will be closed."""
        self.connections[-1].send(json.dumps({"type": "disconnect", "reason": "refresh_requested"}))

    def drop(self) -> None:
        """Close the newest connection."""
        self.connections[-1].close()

    def _talk(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        with suppress(ConnectionClosed):
            if not self.silent:
                connection.send(json.dumps({"type": "hello", "num_connections": 1}))
            for message in connection:
                self.answers.append(json.loads(message))
