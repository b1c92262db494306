"""How far a channel was read: what a new connection asks for, and what it already had."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self

from threadline.platforms.buzz.event import Event

SKEW: Final = 60
"""Seconds by which our clocks may differ: a mark never moves to a time further ahead than this."""

LATE: Final = 900
"""Seconds by which the clock of a person may be late, or ahead: Buzz takes no event that is further
away. What is asked for begins so much before a mark, and what is dated further ahead is refused.
https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/ingest.rs"""

OLDEST: Final = 7 * 86_400
"""Seconds after which a message would be refused as too old; it is not even asked for."""

MOST_SEEN: Final = 2_000
"""Messages that a mark remembers; where more came in 15 minutes, some are delivered twice, under
the same id."""

MOST_MARKS: Final = 512
_SHORT: Final = 8
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
        return max(self.floor, self.at - LATE)

    def by(self, now: float) -> Self:
        """Give the mark without what our clock, once wrong, put into the future."""
        latest = int(now)
        if self.floor <= latest and self.at <= latest + SKEW:
            return self
        seen = tuple(one for one in self.seen if one[0] <= latest + LATE)
        return replace(
            self, floor=min(self.floor, latest), at=min(self.at, latest + SKEW), seen=seen
        )

    def wants(self, event: Event, now: float) -> bool:
        """Tell whether the event is new and neither too old nor from the future."""
        known = (event.created_at, event.id[:_SHORT]) in self.seen
        return not known and self.floor <= event.created_at <= now + LATE

    def after(self, event: Event, now: float) -> Self:
        """Give the mark once the event is taken."""
        at = self.at
        if event.created_at <= now + SKEW:
            at = max(at, event.created_at)
        moved = replace(self, at=at)
        since, seen = moved.since, (*self.seen, (event.created_at, event.id[:_SHORT]))
        return replace(moved, seen=tuple(one for one in seen if one[0] >= since)[-MOST_SEEN:])

    def text(self) -> str:
        """Write the mark as it is stored: what was seen by the second."""
        seconds: dict[int, str] = {}
        for at, short in self.seen:
            seconds[at] = seconds.get(at, "") + short
        seen = [f"{at}.{shorts}" for at, shorts in seconds.items()]
        return json.dumps([self.floor, self.at, seen], separators=(",", ":"))


def read(text: str) -> Mark | None:
    """Read a stored mark; None where it cannot be read."""
    try:
        floor, at, seen = json.loads(text)
        return Mark(int(floor), int(at), tuple(one for second in seen for one in _second(second)))
    except (AttributeError, TypeError, ValueError):
        return None


def _second(written: str) -> Iterator[tuple[int, str]]:
    """Read what was seen in one second, also as marks were written before: an id each."""
    at, single, short = written.partition(":")
    if single:
        yield int(at), short[:_SHORT]
        return
    at, _, shorts = written.partition(".")
    for start in range(0, len(shorts), _SHORT):
        yield int(at), shorts[start : start + _SHORT]


def stored(cursor: Mapping[str, str]) -> dict[str, Mark]:
    """Read every channel's mark of a saved cursor."""
    found = {
        name.removeprefix(NAME): mark
        for name, text in cursor.items()
        if name.startswith(NAME) and (mark := read(text))
    }
    return dict(list(found.items())[:MOST_MARKS])
