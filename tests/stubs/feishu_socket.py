"""The other end of the long connection: a WebSocket server on 127.0.0.1 that sends and is answered.

with FeishuStub() as feishu, FeishuSockets() as sockets:
    feishu.socket_url = sockets.url
    ...                                       # connect
    sent = sockets.send(feishu.say("oc_ada", "hello"))
    assert sockets.answers == {sent: 200}

Frames are protocol buffers: numbers 1 to 4, headers in 5, the payload in 8.
"""

import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve

CONNECTED_WITHIN: Final = 10.0
CONTROL: Final = 0
DATA: Final = 1
NUMBERS: Final = 0
BYTES: Final = 2
"""How a field is written: as a number, or as bytes with their length before them."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `method` says whether it is about the connection or about an event."""

    method: int
    headers: Mapping[str, str]
    payload: bytes = b""

    def encode(self) -> bytes:
        """Write the frame."""
        written = b"".join(_number(at, value) for at, value in ((1, 0), (2, 0), (3, 7)))
        written += _number(4, self.method)
        for key, value in self.headers.items():
            written += _bytes(5, _bytes(1, key.encode()) + _bytes(2, value.encode()))
        return written + _bytes(8, self.payload)


def decode(raw: bytes) -> Frame:
    """Read a frame."""
    method, headers, payload = -1, {}, b""
    for at, value in _fields(raw):
        if at == 4 and isinstance(value, int):
            method = value
        elif at == 5 and isinstance(value, bytes):
            header = dict(_fields(value))
            headers[_text(header[1])] = _text(header[2])
        elif at == 8 and isinstance(value, bytes):
            payload = value
    return Frame(method, headers, payload)


@dataclass(slots=True)
class FeishuSockets:
    """Takes whoever connects. `answers`: what each event was answered with; `pings` are counted."""

    url: str = ""
    answers: dict[str, int] = field(default_factory=dict)
    pings: int = 0
    connections: list[ServerConnection] = field(default_factory=list)
    _server: Server | None = None
    _sent: int = 0

    def __enter__(self) -> Self:
        self._server = serve(self._talk, "127.0.0.1", 0)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        port = self._server.socket.getsockname()[1]
        self.url = f"ws://127.0.0.1:{port}/ws/v2?device_id=1&service_id=7&ticket=of-nobody"
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

    def send(self, event: Mapping[str, Any], pieces: int = 1) -> str:
        """Send an event over the newest connection, in so many frames, and give its name there."""
        self._sent += 1
        name, payload = f"message-{self._sent}", json.dumps(event).encode()
        each = -(-len(payload) // pieces)
        for at in range(pieces):
            headers = {
                "type": "event", "message_id": name, "trace_id": f"trace-{name}",
                "sum": str(pieces), "seq": str(at),
            }  # fmt: skip
            part = payload[at * each : (at + 1) * each]
            self._newest().send(Frame(DATA, headers, part).encode())
        return name

    def drop(self) -> None:
        """Close the newest connection."""
        self._newest().close()

    def _newest(self) -> ServerConnection:
        """Give the newest connection; whoever connects knows of it a moment before we do."""
        deadline = time.monotonic() + CONNECTED_WITHIN
        while not self.connections and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.connections[-1]

    def _talk(self, connection: ServerConnection) -> None:
        self.connections.append(connection)
        with suppress(ConnectionClosed):
            for raw in connection:
                assert isinstance(raw, bytes)
                frame = decode(raw)
                if frame.method == CONTROL:
                    self.pings += 1
                else:
                    code = json.loads(frame.payload)["code"]
                    self.answers[frame.headers["message_id"]] = code


def _number(at: int, value: int) -> bytes:
    return _varint(at << 3 | NUMBERS) + _varint(value)


def _bytes(at: int, value: bytes) -> bytes:
    return _varint(at << 3 | BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def _fields(raw: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(raw):
        key, at = _read(raw, at)
        value, at = _read(raw, at)
        if key & 7 == BYTES:
            yield key >> 3, raw[at : at + value]
            at += value
        else:
            yield key >> 3, value


def _read(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte, at = raw[at], at + 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def _text(value: int | bytes) -> str:
    assert isinstance(value, bytes)
    return value.decode()
