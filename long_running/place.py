"""One socket of this process: its lease, its connection while that is held, what is told of it."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from long_running.lease import SocketLease
from long_running.sockets.making import Held, Making, Wanted
from long_running.sockets.state import STEADY, Phase, SocketState
from threadline.app.world import World
from threadline.core.reasons import Reason
from threadline.core.socket import NEVER

ALARM_AFTER: Final[Mapping[Phase, tuple[Reason, float]]] = MappingProxyType(
    {
        Phase.DEAF: (Reason.SOCKET_DEAF, 60.0),
        Phase.REFUSED: (Reason.SOCKET_REFUSED, 60.0),
        Phase.CONNECTING: (Reason.SOCKET_DOWN, 300.0),
        Phase.BACKING_OFF: (Reason.SOCKET_DOWN, 300.0),
    }
)
"""Where somebody has to be told, and after how many seconds without a minute of hearing."""

ALARM_AGAIN: Final = 600.0
AFTER_FAULT: Final = 10.0


@dataclass(slots=True)
class Place:
    """Where one socket is held. `say` gets a line for a person when it changes.

    All times are from `steady`, a clock that is never set.
    """

    world: World
    making: Making
    wanted: Wanted
    lease: SocketLease
    steady: Callable[[], float]
    say: Callable[[str], None]
    _socket: Held | None = None
    _ending: threading.Thread | None = None
    _again_at: float = 0.0
    _shown: SocketState = SocketState()
    _wrong_from: float = NEVER
    _well_from: float = NEVER
    _alarm_from: float = 0.0
    _changing: threading.Lock = field(default_factory=threading.Lock)

    @property
    def state(self) -> SocketState:
        """How the socket is doing, as far as this process knows."""
        return self._socket.state if self._socket else SocketState(Phase.WAITING)

    @property
    def free(self) -> bool:
        """Whether nothing of a connection is left."""
        return self._socket is None and self._ending is None

    def may_hear(self) -> bool:
        """Tell whether what comes in may be handed over: never by two processes at a time."""
        return self.lease.held(self.steady())

    def keep(self, now: float) -> None:
        """Keep the lease, and the connection with it."""
        if self._ending is not None:
            if not self._ending.is_alive():
                self._ending = self._socket = None
            return
        held = self.lease.keep(now)
        if held and self._socket is None:
            self._begin(now)
        elif held and self.state.phase is Phase.STOPPED:
            self.world.log("alarm", reason=str(Reason.SOCKET_FAULT), **self._names())
            self._socket, self._again_at = None, now + AFTER_FAULT
        elif not held and self._socket is not None:
            self.world.log("socket", reason="lease_lost", **self._names())
            self.end()

    def end(self) -> None:
        """End the connection beside everything else, then give its lease back. Returns at once."""
        with self._changing:
            if self._ending is not None:
                return
            self._ending = threading.Thread(target=self._end, name="socket-end", daemon=True)
            self._ending.start()

    def ended(self, within: float) -> None:
        """Wait for the end, at most so many seconds."""
        if self._ending is not None:
            self._ending.join(max(within, 0.0))

    def tell(self, now: float) -> None:
        """Tell what has changed, and raise an alarm where a socket hears nothing for long."""
        state = self.state
        if (state.phase, state.why) != (self._shown.phase, self._shown.why):
            self._shown = state
            self.world.log("socket", phase=str(state.phase), why=state.why, **self._names())
            if state.phase is Phase.CONNECTED:
                how = "polled" if self.wanted.app.transport == "polling" else "connected"
                self.say(f"{self.wanted.name} is {how}.")
            elif state.why:
                self.say(f"{self.wanted.name}: {state.why}")
        self._alarm(state, now)

    def _begin(self, now: float) -> None:
        with self._changing:
            if self._ending is None and now >= self._again_at:
                self._socket = self.making.make(self.wanted, self.may_hear)
                self._socket.start()

    def _end(self) -> None:
        if self._socket is not None:
            self._socket.stop()
        self.lease.give_back()

    def _alarm(self, state: SocketState, now: float) -> None:
        """Raise an alarm, again every ten minutes; moments of hearing in between change nothing."""
        if state.phase not in ALARM_AFTER:
            self._well_from = min(self._well_from, now)
            if now - self._well_from >= STEADY:
                self._wrong_from = NEVER
            return
        self._well_from, self._wrong_from = NEVER, min(self._wrong_from, now)
        reason, after = ALARM_AFTER[state.phase]
        if now >= max(self._wrong_from + after, self._alarm_from):
            self._alarm_from = now + ALARM_AGAIN
            self.world.log("alarm", reason=str(reason), detail=state.why, **self._names())

    def _names(self) -> dict[str, str]:
        app = self.wanted.app
        return {"platform": app.platform, "app": app.app}
