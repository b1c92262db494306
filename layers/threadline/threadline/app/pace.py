"""How fast a chat may be written to, as far as this process knows: the chat's rate, not ours.

What other processes learn is in the store (`Cooling`); this only spares us the next refusal.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from threadline.core.posting import Destination, Traits

GROWTHS_A_SECOND: Final = 100
"""Edits that only show progress, of one process: each costs it milliseconds, a lease may not wait.
With 2,000 answers that grow at once each of them grows every 20 s."""


def interval(traits: Traits, to: Destination) -> float:
    """Give the shortest time between two edits in a chat."""
    return traits.edit_interval if to.private else traits.group_edit_interval


@dataclass(slots=True)
class Paces:
    """When each chat may be edited next. Growing text comes after whatever waits to be said."""

    _edit_from: dict[str, float] = field(default_factory=dict)
    _growth_from: dict[str, float] = field(default_factory=dict)
    _runs: Counter[str] = field(default_factory=Counter)
    _open_from: dict[str, float] = field(default_factory=dict)
    _room_from: float = 0.0

    def open_from(self, destination: str) -> float:
        """Give when the app of a chat may say anything anywhere."""
        return self._open_from.get(_app_of(destination), 0.0)

    def edit_from(self, destination: str) -> float:
        """Give when a final edit may go."""
        return max(self._edit_from.get(destination, 0.0), self.open_from(destination))

    def growth_from(self, destination: str) -> float:
        """Give when an edit that only shows progress may go."""
        return max(self.edit_from(destination), self._growth_from.get(destination, 0.0))

    def room(self, now: float) -> float:
        """Take this process's next free moment for an edit that only shows progress."""
        room = max(self._room_from, now)
        self._room_from = room + 1 / GROWTHS_A_SECOND
        return room

    def edited(self, destination: str, now: float, each: float) -> None:
        """Note an edit; with several live runs in a chat each of them waits for the others."""
        growth = now + each * max(self._runs[destination], 1)
        self._edit_from[destination] = max(self.edit_from(destination), now + each)
        self._growth_from[destination] = max(self.growth_from(destination), growth)

    def cooled(
        self, destination: str, until: float, each: float, *, everywhere: bool = False
    ) -> None:
        """Note a refusal: what waits goes at `until`, growing text an interval later."""
        if everywhere:
            app = _app_of(destination)
            self._open_from[app] = max(self._open_from.get(app, 0.0), until)
        self._edit_from[destination] = max(self.edit_from(destination), until)
        self._growth_from[destination] = max(self.growth_from(destination), until + each)

    def begin(self, destination: str) -> None:
        """Note a live run in a chat."""
        self._runs[destination] += 1

    def end(self, destination: str) -> None:
        """Note the end of a live run; a chat without one is forgotten in time."""
        self._runs[destination] -= 1
        if self._runs[destination] <= 0:
            del self._runs[destination]

    def forget(self, now: float) -> None:
        """Drop what no longer limits anything."""
        for times in (self._edit_from, self._growth_from, self._open_from):
            for destination in [place for place, at in times.items() if at < now]:
                del times[destination]


def _app_of(destination: str) -> str:
    """Name the app of a chat: what a destination's key begins with."""
    return "/".join(destination.split("/", 2)[:2])
