"""A server that does on each connection exactly what a test wrote down."""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

PATIENCE = 20.0
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass(slots=True)
class Connection:
    """One accepted connection."""

    socket: socket.socket
    requests: list[bytes]

    def request(self) -> bytes:
        """Read one request whole, by its content-length."""
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, body = received.partition(b"\r\n\r\n")
        length = re.search(rb"(?im)^content-length: (\d+)", head)
        while len(body) < (int(length[1]) if length else 0):
            body += self._more()
        self.requests.append(head + b"\r\n\r\n" + body)
        return self.requests[-1]

    def answer(self, raw: bytes = OK) -> None:
        """Read one request and send these bytes."""
        self.request()
        self.socket.sendall(raw)

    def wait_for_end(self) -> None:
        """Wait until the other side closes."""
        with contextlib.suppress(ConnectionResetError):
            while self.socket.recv(65_536):
                pass

    def ended_within(self, seconds: float) -> bool:
        """Tell whether the other side closes in that time."""
        self.socket.settimeout(seconds)
        try:
            return not self.socket.recv(1)
        except TimeoutError:
            return False

    def _more(self) -> bytes:
        more = self.socket.recv(65_536)
        if not more:
            raise EOFError
        return more


type Script = Callable[[Connection], None]


@dataclass(slots=True)
class Wire:
    """Where the server listens, and what it has seen so far."""

    port: int
    requests: list[bytes] = field(default_factory=list)
    accepted: int = 0

    @property
    def url(self) -> str:
        """An address of the server."""
        return f"http://127.0.0.1:{self.port}"


@contextlib.contextmanager
def serving(*scripts: Script) -> Iterator[Wire]:
    """Serve one connection after the other by these scripts, each closed at its script's end."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        wire = Wire(listener.getsockname()[1])
        thread = threading.Thread(target=_serve, args=(listener, wire, scripts))
        thread.start()
        try:
            yield wire
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            thread.join(PATIENCE)


def _serve(listener: socket.socket, wire: Wire, scripts: tuple[Script, ...]) -> None:
    for script in scripts:
        try:
            accepted, _ = listener.accept()
        except OSError:
            return
        wire.accepted += 1
        accepted.settimeout(PATIENCE)
        with accepted, contextlib.suppress(EOFError, ConnectionError):
            script(Connection(accepted, wire.requests))
