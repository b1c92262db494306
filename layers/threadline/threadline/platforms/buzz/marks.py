"""How far a channel was read: what a new connection asks for, and what it already had."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from threadline.platforms.buzz.event import Event

SKEW: Final = 60
"""Seconds by which clocks may differ. A mark never moves to a time further ahead than this, and
what is asked for begins so much before it: whose clock is late is not skipped."""

TOO_FAR_AHEAD: Final = 900
"""Seconds ahead of us from which an event is refused."""

MOST_SEEN: Final = 512
MOST_MARKS: Final = 512
_SHORT: Final = 16
NAME: Final = "channel/"


@dataclass(frozen=True, slots=True)
class Mark:
    """A channel's place: nothing before `floor` is answered, `at` is the latest that was taken.

    `seen` are times and short ids of what was taken since `since`, in the order of taking.
    """

    floor: int
    at: int = 0
    seen: tuple[tuple[int, str], ...] = ()

    @property
    def since(self) -> int:
        """From when on messages are asked for."""
        return max(self.floor, self.at - SKEW)

    def wants(self, event: Event, now: float) -> bool:
        """Tell whether the event is new and neither too old nor from the future."""
        known = (event.created_at, event.id[:_SHORT]) in self.seen
        return not known and self.floor <= event.created_at <= now + TOO_FAR_AHEAD

    def after(self, event: Event, now: float) -> Self:
        """Give the mark once the event is taken."""
        at = self.at
        if event.created_at <= now + SKEW:
            at = max(at, event.created_at)
        moved = replace(self, at=at)
        seen = (*self.seen, (event.created_at, event.id[:_SHORT]))
        kept = [one for one in seen if one[0] >= moved.since][-MOST_SEEN:]
        return replace(moved, seen=tuple(kept))

    def text(self) -> str:
        """Write the mark as it is stored."""
        seen = [f"{at}:{short}" for at, short in self.seen]
        return json.dumps([self.floor, self.at, seen], separators=(",", ":"))


def read(text: str) -> Mark | None:
    """Read a stored mark; None where it cannot be read."""
    try:
        floor, at, seen = json.loads(text)
        pairs = [one.split(":") for one in seen]
        return Mark(int(floor), int(at), tuple((int(when), short) for when, short in pairs))
    except (AttributeError, TypeError, ValueError):
        return None


def stored(cursor: Mapping[str, str]) -> dict[str, Mark]:
    """Read every channel's mark of a saved cursor."""
    found = {
        name.removeprefix(NAME): mark
        for name, text in cursor.items()
        if name.startswith(NAME) and (mark := read(text))
    }
    return dict(list(found.items())[:MOST_MARKS])
