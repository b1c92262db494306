"""One connection to a server and calls over it, by nothing but sockets.

The standard library's client reads the head of an answer as that of a mail, and sends a body apart
from its head: more than all else that a webhook costs.
"""

import socket
import ssl
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import SplitResult

from threadline.backends.http_framing import AnswerReader, Malformed

_AT_ONCE: Final = 65_536


class Connection:
    """A connection to the server of an address; `tls` is asked for where that wants it.

    `timeout` in seconds, to connect and to wait for each part of an answer. `lasts` says whether
    it takes a further call. Raises OSError.
    """

    def __init__(self, url: SplitResult, timeout: float, tls: Callable[[], ssl.SSLContext]) -> None:
        host, context = url.hostname or "", tls() if url.scheme == "https" else None
        port = url.port or (443 if context else 80)
        plain = socket.create_connection((host, port), timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = context.wrap_socket(plain, server_hostname=host) if context else plain
        self.lasts = True

    def close(self) -> None:
        """Let it go."""
        self._socket.close()

    def call(self, request: bytes) -> tuple[int, bytes]:
        """Send a request; give the answer's status and body.

        Raises ConnectionError where the connection ended before anything was answered; after that
        another OSError, or Malformed.
        """
        self._socket.sendall(request)
        received = self._socket.recv(_AT_ONCE)
        if not received:
            raise ConnectionResetError("closed instead of an answer")
        try:
            return self._read(received)
        except ConnectionError as error:
            # Part of an answer was there: no reason to think that the connection was merely old.
            raise Malformed("a part of the answer is missing") from error

    def _read(self, received: bytes) -> tuple[int, bytes]:
        reader = AnswerReader()
        pieces = reader.feed(received)
        while not reader.ended:
            received = self._socket.recv(_AT_ONCE)
            if received:
                pieces += reader.feed(received)
                continue
            self.lasts = False
            if not reader.close():
                raise Malformed("a part of the answer is missing")
        self.lasts = self.lasts and not any(
            name == b"connection" and value.lower() == b"close" for name, value in reader.headers
        )
        return reader.status, b"".join(pieces)


def written(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """Write a request. Raises ValueError for what would end a line of its head."""
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
        "Accept-Encoding: identity",
    ]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a line end in the head of a request")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
