"""One connection to a server and calls over it, by nothing but sockets.

The standard library's client reads the head of an answer as that of a mail, and sends a body apart
from its head: more than all else that a webhook costs. It also takes most answers that announce
another one (1xx) for the answer itself.
"""

import select
import socket
import ssl
from collections.abc import Sequence
from typing import Final

from threadline.backends.http_framing import AnswerReader, Malformed

_AT_ONCE: Final = 65_536


class Connection:
    """A connection to an address and port; `tls`, if given, goes by the name of the host.

    `timeout` in seconds, to connect, and until another is set. Raises OSError.
    """

    def __init__(
        self, address: str, port: int, timeout: float, host: str, tls: ssl.SSLContext | None
    ) -> None:
        plain = socket.create_connection((address, port), timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = tls.wrap_socket(plain, server_hostname=host) if tls else plain
        self._whole = True
        self.answer = AnswerReader()

    @property
    def lasts(self) -> bool:
        """Whether the request went out and its answer came in whole, and another may follow."""
        return self._whole and self.answer.lasts

    def close(self) -> None:
        """Let it go."""
        self._socket.close()

    def wait_at_most(self, timeout: float) -> None:
        """Limit the sending of a request, and every single wait for its answer; in seconds."""
        self._socket.settimeout(timeout)

    def is_quiet(self) -> bool:
        """Tell whether nothing came unasked, such as the end of the connection."""
        looking = select.poll()
        looking.register(self._socket, select.POLLIN)
        return not looking.poll(0)

    def send(self, *parts: bytes) -> None:
        """Send a request. One that the other side did not take whole may still be answered."""
        self.answer = AnswerReader()
        try:
            for part in parts:
                self._socket.sendall(part)
        except ConnectionError:
            self._whole = False

    def receive(self) -> Sequence[bytes]:
        """Wait for a part of the answer; give the pieces of its body that came.

        Raises ConnectionError where the connection ended before anything was answered; after that
        another OSError, or Malformed.
        """
        begun = self.answer.begun
        try:
            received = self._socket.recv(_AT_ONCE)
        except ConnectionError as error:
            if not begun:
                raise
            # Part of an answer was there: no reason to think that the connection was merely old.
            raise Malformed("a part of the answer is missing") from error
        if received:
            return self.answer.feed(received)
        if not begun:
            raise ConnectionResetError("closed instead of an answer")
        if not self.answer.close():
            raise Malformed("a part of the answer is missing")
        return ()

    def call(self, request: bytes) -> tuple[int, bytes]:
        """Send a request and give the answer's status and body. Raises as `receive` does."""
        self.send(request)
        pieces: list[bytes] = []
        while not self.answer.ended:
            pieces += self.receive()
        return self.answer.status, b"".join(pieces)
