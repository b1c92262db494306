"""Holds the configured sockets: each under a lease, so that of many processes one holds it."""

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from long_running.lease import SocketLease
from long_running.place import Place
from long_running.sockets.making import Making, Wanted
from long_running.sockets.state import SocketState
from threadline.app.world import World
from threadline.backends.clock import steady
from threadline.core.errors import StoreError
from threadline.core.settings import Settings

LOOK_EVERY: Final = 2.0
STOP_WITHIN: Final = 18.0
LOOKS_END_WITHIN: Final = 2.0

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Host:
    """Starts, stops and watches over sockets in threads of its own.

    One thread finds out what is wanted, which may take its time while secrets cannot be read; the
    other one keeps the leases meanwhile. `say` gets a line for a person when a socket changes.
    `alone`: no other process can hold one. `steady` is a clock that is never set; `stop_within` the
    seconds in which all have to end.
    """

    world: World
    making: Making
    say: Callable[[str], None]
    alone: bool = False
    steady: Callable[[], float] = steady
    stop_within: float = STOP_WITHIN
    looked_at: float = 0.0
    _settings: Settings | None = None
    _wanted: Mapping[str, Wanted] | None = None
    _places: dict[str, Place] = field(default_factory=dict)
    _changed: threading.Event = field(default_factory=threading.Event)
    _due: threading.Event = field(default_factory=threading.Event)
    _stopping: threading.Event = field(default_factory=threading.Event)
    _threads: tuple[threading.Thread, ...] = ()

    def start(self) -> None:
        """Begin in the background."""
        self._threads = tuple(
            threading.Thread(target=self._again_and_again, args=each, name=name, daemon=True)
            for name, each in {
                "sockets-wanted": (self.want, self._changed),
                "sockets": (self.keep, self._due),
            }.items()
        )
        for thread in self._threads:
            thread.start()

    def follow(self, settings: Settings) -> None:
        """Hold the sockets of these settings from now on.

        Raises RuntimeError once a fault of ours has ended a thread of the host's.
        """
        if not (self._stopping.is_set() or all(one.is_alive() for one in self._threads)):
            raise RuntimeError("the host of the sockets has ended: see the log")
        self._settings = settings
        self._changed.set()

    def states(self) -> Mapping[str, SocketState]:
        """Tell how each socket is doing, by platform and app."""
        return {name: place.state for name, place in tuple(self._places.items())}

    def stop(self) -> None:
        """Stop every socket after what is in hand, and give the leases back, all in time."""
        end_by = self.steady() + self.stop_within
        self._stopping.set()
        for event in (self._changed, self._due):
            event.set()
        for thread in self._threads:
            thread.join(LOOKS_END_WITHIN / len(self._threads))
        places = tuple(self._places.values())
        for place in places:
            place.end()
        for place in places:
            place.ended(end_by - self.steady())
        self._places = {}

    def look(self) -> None:
        """Do once what is to be done now."""
        self.want()
        self.keep()

    def want(self) -> None:
        """Find out which sockets the settings and the secrets ask for. Raises StoreError."""
        if self._settings is not None:
            self._wanted = {one.name: one for one in self.making.wanted(self._settings)}
            self._due.set()

    def keep(self) -> None:
        """Keep leases, start and end connections, tell what is to be told."""
        if self._wanted is not None:
            self._place(self._wanted)
        for place in self._places.values():
            if self._stopping.is_set():
                return
            now = self.steady()
            place.keep(now)
            place.tell(now)
        self.looked_at = self.world.clock.now()

    def _again_and_again(self, look: Callable[[], None], due: threading.Event) -> None:
        while not self._stopping.is_set():
            try:
                look()
            except StoreError as trouble:
                log.warning("sockets: %s", trouble)
            due.wait(LOOK_EVERY)
            due.clear()

    def _place(self, wanted: Mapping[str, Wanted]) -> None:
        """Give every wanted socket a place; one that changed is ended and placed anew."""
        for name, place in tuple(self._places.items()):
            now_wanted = wanted.get(name)
            if now_wanted is not None and now_wanted.mark == place.wanted.mark:
                continue
            if place.free:
                place.lease.give_back()
                del self._places[name]
            else:
                place.end()
        for name, one in wanted.items():
            if name not in self._places:
                lease = SocketLease(self.world.store, name, self.world.holder, self.alone)
                self._places[name] = Place(
                    self.world, self.making, one, lease, self.steady, self.say
                )
