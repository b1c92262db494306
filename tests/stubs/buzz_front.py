"""A relay and its media server at one address, as Buzz has them: a door that sorts connections."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

CHUNK: Final = 65_536


@contextmanager
def one_door(relay: int, media: int) -> Iterator[int]:
    """Give a port behind which a WebSocket meets one port, and anything else the other."""
    door = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_welcome, args=(door, relay, media), daemon=True).start()
    try:
        yield door.getsockname()[1]
    finally:
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        door.close()


def _welcome(door: socket.socket, relay: int, media: int) -> None:
    with suppress(OSError):
        while True:
            guest, _ = door.accept()
            threading.Thread(target=_sort, args=(guest, relay, media), daemon=True).start()


def _sort(guest: socket.socket, relay: int, media: int) -> None:
    head = b""
    with suppress(OSError):
        while b"\r\n\r\n" not in head and (more := guest.recv(CHUNK)):
            head += more
        wants_socket = b"upgrade: websocket" in head.lower()
        room = socket.create_connection(("127.0.0.1", relay if wants_socket else media))
        room.sendall(head)
        threading.Thread(target=_carry, args=(room, guest), daemon=True).start()
        _carry(guest, room)
        return
    guest.close()


def _carry(one: socket.socket, other: socket.socket) -> None:
    with suppress(OSError):
        while piece := one.recv(CHUNK):
            other.sendall(piece)
    for end in (one, other):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
