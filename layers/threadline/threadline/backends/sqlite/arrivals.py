"""Wakes those who wait at a queue when something came in."""

import threading


class Arrivals:
    """A count of what came; whoever saw an older count does not wait."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._count = 0

    def count(self) -> int:
        """Give the count, to be read before looking into the queue."""
        with self._changed:
            return self._count

    def ring(self) -> None:
        """Say that there may be something to receive."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait(self, seen: int, seconds: float) -> None:
        """Wait, in real time, until something came since `seen`."""
        with self._changed:
            self._changed.wait_for(lambda: self._count != seen, seconds)
