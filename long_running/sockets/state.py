"""How a connection is doing, for the table that `serve` prints and for the health check."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Phase(StrEnum):
    """Where a connection stands; `REFUSED` needs a person, see `SocketState.why`.

    `DEAF`: it is open, but nothing would arrive. `WAITING`: another process holds the socket.
    """

    CONNECTING = "connecting"
    CONNECTED = "connected"
    DEAF = "deaf"
    WAITING = "waiting"
    BACKING_OFF = "backing_off"
    REFUSED = "refused"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class SocketState:
    """A connection's state; `last_event` is epoch seconds, 0 where nothing has come yet."""

    phase: Phase = Phase.CONNECTING
    why: str = ""
    last_event: float = 0.0


STEADY: Final = 60.0
"""Seconds for which a connection has to be heard through, so that its end counts for nothing."""

REFUSED_AGAIN: Final = (60.0, 300.0, 900.0)
"""Seconds before a socket that was refused is tried again, by how often that was so in a row."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Growing waits between tries, in seconds, spread so that many do not come at once."""

    shortest: float = 2.0
    longest: float = 60.0

    def wait(self, failures: int, random: float) -> float:
        """Give the wait after so many failures in a row; `random` is between 0 and 1."""
        middle = min(self.shortest * 2.0 ** min(failures, 30), self.longest)
        least, most = max(middle / 2, self.shortest), min(middle * 2, self.longest)
        return least + (most - least) * random


@dataclass(slots=True)
class Tries:
    """How the last connections went, and so when the next one may come."""

    backoff: Backoff
    random: Callable[[], float]
    _failures: int = 0
    _refusals: int = 0

    def well(self) -> None:
        """Note that all is well: what went before counts no more."""
        self._failures = self._refusals = 0

    def next_after(self, lasted: float, *, refused: bool = False) -> float:
        """Give the seconds to wait after a connection that was heard through for so many seconds.

        One that ends soon, again and again, is waited for like one that never stood.
        """
        if refused:
            self._refusals += 1
            return REFUSED_AGAIN[min(self._refusals, len(REFUSED_AGAIN)) - 1]
        if lasted >= STEADY:
            self.well()
        else:
            self._failures, self._refusals = self._failures + 1, 0
        return self.backoff.wait(max(self._failures - 1, 0), self.random())
