"""Short ways to send and receive in the queue tests."""

from itertools import count

from threadline.core.ports import Outgoing, Queue, Received

_fresh = count()


def mail(body: str, group: str = "g", dedup: str = "") -> Outgoing:
    """Make a message for a FIFO queue, its dedup id fresh unless given."""
    return Outgoing(body, group, dedup or f"fresh-{next(_fresh)}")


def send(queue: Queue, *bodies: str, group: str = "g") -> None:
    """Send these to one group, in this order."""
    queue.send([mail(body, group) for body in bodies])


def take(queue: Queue, limit: int = 10, visibility: float = 100.0) -> list[str]:
    """Receive once and give the bodies."""
    return [message.body for message in queue.receive(limit, visibility=visibility)]


def one(queue: Queue, visibility: float = 100.0) -> Received:
    """Receive exactly one message, which must be there."""
    (message,) = queue.receive(1, visibility=visibility)
    return message


def drain(queue: Queue) -> list[str]:
    """Receive and delete until nothing comes, and give the bodies in the order they came."""
    bodies: list[str] = []
    while got := queue.receive(10, visibility=100.0):
        bodies.extend(message.body for message in got)
        queue.delete(message.receipt for message in got)
    return bodies
