"""Holds the configured sockets: each under a lease, so that of many processes one holds it."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from long_running.lease import SocketLease
from long_running.sockets.making import Held, Making, Wanted
from long_running.sockets.state import Phase, SocketState
from threadline.app.world import World
from threadline.core.errors import StoreError
from threadline.core.reasons import Reason
from threadline.core.settings import Settings

LOOK_EVERY: Final = 2.0
ALARM_AFTER: Final = 60.0
ALARM_AGAIN: Final = 600.0
STOP_WITHIN: Final = 19.0
AFTER_FAULT: Final = 10.0
ALARMS: Final = {Phase.DEAF: Reason.SOCKET_DEAF, Phase.REFUSED: Reason.SOCKET_REFUSED}

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Place:
    """One socket of this process: its lease, and the connection while the lease is held."""

    wanted: Wanted
    lease: SocketLease
    socket: Held | None = None
    shown: SocketState = SocketState()
    wrong_since: float = 0.0
    alarmed_at: float = 0.0
    again_at: float = 0.0
    ending: threading.Thread | None = None

    @property
    def state(self) -> SocketState:
        return self.socket.state if self.socket else SocketState(Phase.WAITING)


@dataclass(slots=True)
class Host:
    """Starts, stops and watches over sockets in a thread of its own.

    `say` gets a line for a person when a socket changes. `alone`: no other process can hold one.
    """

    world: World
    making: Making
    say: Callable[[str], None]
    alone: bool = False
    _settings: Settings | None = None
    _places: dict[str, _Place] = field(default_factory=dict)
    _changed: threading.Event = field(default_factory=threading.Event)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    looked_at: float = 0.0

    def start(self) -> None:
        """Begin in the background."""
        self._thread = threading.Thread(target=self._run, name="sockets", daemon=True)
        self._thread.start()

    def follow(self, settings: Settings) -> None:
        """Hold the sockets of these settings from now on."""
        self._settings = settings
        self._changed.set()

    def states(self) -> Mapping[str, SocketState]:
        """Tell how each socket is doing, by platform and app."""
        return {name: place.state for name, place in tuple(self._places.items())}

    def stop(self) -> None:
        """Stop every socket after what is in hand, and give the leases back; within 20 seconds."""
        self._stopping.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join(STOP_WITHIN)
        for place in self._places.values():
            self._end(place)
        for place in self._places.values():
            if place.ending is not None:
                place.ending.join(STOP_WITHIN)
        self._places = {}

    def look(self) -> None:
        """Do once what is to be done now: leases, starts, ends, and what is to be told."""
        now = self.world.clock.now()
        if self._settings is not None:
            wanted = {one.name: one for one in self.making.wanted(self._settings)}
            self._place(wanted)
        for place in self._places.values():
            self._keep(place, now)
            self._tell(place, now)
        self.looked_at = now

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.look()
            except StoreError as trouble:
                log.warning("sockets: %s", trouble)
            self._changed.wait(LOOK_EVERY)
            self._changed.clear()

    def _place(self, wanted: Mapping[str, Wanted]) -> None:
        """Give every wanted socket a place; one that changed is ended and placed anew."""
        for name, place in tuple(self._places.items()):
            now_wanted = wanted.get(name)
            if now_wanted is not None and now_wanted.mark == place.wanted.mark:
                continue
            if place.socket is None and place.ending is None:
                place.lease.give_back()
                del self._places[name]
            else:
                self._end(place)
        for name, one in wanted.items():
            if name not in self._places:
                lease = SocketLease(self.world.store, name, self.world.holder, self.alone)
                self._places[name] = _Place(one, lease)

    def _keep(self, place: _Place, now: float) -> None:
        """Keep the lease, and the connection with it."""
        if place.ending is not None:
            if not place.ending.is_alive():
                place.ending = place.socket = None
            return
        held = place.lease.keep(now)
        if held and place.socket is None:
            if now >= place.again_at:
                place.socket = self.making.make(place.wanted)
                place.socket.start()
        elif held and place.state.phase is Phase.STOPPED:
            self.world.log("alarm", reason=str(Reason.SOCKET_FAULT), **_names(place))
            place.socket, place.again_at = None, now + AFTER_FAULT
        elif not held and place.socket is not None:
            self.world.log("socket", reason="lease_lost", **_names(place))
            self._end(place)

    def _end(self, place: _Place) -> None:
        """End a place's connection beside everything else, then give its lease back."""
        if place.ending is not None:
            return
        socket = place.socket

        def end() -> None:
            if socket is not None:
                socket.stop()
            place.lease.give_back()

        place.ending = threading.Thread(target=end, name="socket-end", daemon=True)
        place.ending.start()

    def _tell(self, place: _Place, now: float) -> None:
        state = place.state
        if (state.phase, state.why) != (place.shown.phase, place.shown.why):
            place.shown = state
            self.world.log("socket", phase=str(state.phase), why=state.why, **_names(place))
            if state.phase is Phase.CONNECTED:
                how = "polled" if place.wanted.app.transport == "polling" else "connected"
                self.say(f"{place.wanted.name} is {how}.")
            elif state.why:
                self.say(f"{place.wanted.name}: {state.why}")
        self._alarm(place, state, now)

    def _alarm(self, place: _Place, state: SocketState, now: float) -> None:
        """Tell somebody where a socket hears nothing for long, again every ten minutes."""
        if state.phase not in ALARMS:
            place.wrong_since = 0.0
            return
        place.wrong_since = place.wrong_since or now
        due = max(place.wrong_since + ALARM_AFTER, place.alarmed_at + ALARM_AGAIN)
        if now >= due:
            place.alarmed_at = now
            reason = ALARMS[state.phase]
            self.world.log("alarm", reason=str(reason), detail=state.why, **_names(place))


def _names(place: _Place) -> dict[str, str]:
    app = place.wanted.app
    return {"platform": app.platform, "app": app.app}
