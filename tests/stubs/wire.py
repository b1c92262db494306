"""HTTP for a stub that must cost next to nothing: one asyncio protocol, answers in JSON."""

import asyncio
import json
import re
from typing import Any, override

HEAD = re.compile(rb"(GET|POST) (\S+) HTTP/1\.1\r\n(.*?)\r\n\r\n", re.DOTALL)
LENGTH = re.compile(rb"(?i)content-length: *(\d+)")
STREAM = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"transfer-encoding: chunked\r\n\r\n"
)
LAST_CHUNK = b"0\r\n\r\n"


class Wire(asyncio.Protocol):
    """One connection, kept open between calls."""

    transport: asyncio.Transport
    received = b""

    def answer(self, method: str, target: str, headers: bytes, body: bytes) -> None:
        """Answer one request."""
        raise NotImplementedError

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    @override
    def data_received(self, data: bytes) -> None:
        self.received += data
        while head := HEAD.match(self.received):
            length = LENGTH.search(head[3])
            end = head.end() + (int(length[1]) if length else 0)
            if len(self.received) < end:
                return
            body, self.received = self.received[head.end() : end], self.received[end:]
            self.answer(head[1].decode(), head[2].decode(), head[3], body)

    def send(self, status: int, told: Any) -> None:
        """Answer with JSON."""
        body = json.dumps(told).encode()
        reason = "OK" if status == 200 else "Not Found"
        head = f"HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\n"
        self.transport.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)


def chunk(text: str) -> bytes:
    """Give a piece of a body that is sent as it comes."""
    body = text.encode()
    return b"%x\r\n%s\r\n" % (len(body), body)
