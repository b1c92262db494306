"""How a connection is doing, for the table that `serve` prints and for the health check."""

from dataclasses import dataclass
from enum import StrEnum


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


@dataclass(frozen=True, slots=True)
class Backoff:
    """Growing waits between tries, in seconds, spread so that many do not come at once."""

    shortest: float = 2.0
    longest: float = 60.0

    def wait(self, failures: int, random: float) -> float:
        """Give the wait after so many failures in a row; `random` is between 0 and 1."""
        most = min(self.shortest * 2.0 ** min(failures, 30), self.longest)
        return max(most * (1.0 + random) / 2.0, self.shortest)
