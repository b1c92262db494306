"""Reading what a channel holds, page by page: nothing is missed, and little is held at once.

A relay hands stored messages out newest first and no more than it likes: Buzz up to 2,000, and
fewer where its send buffer fills, which it does not tell. So a stretch of time is asked for; if its
page may have been cut, the stretch becomes two, of which the older is asked for first. What is
taken is always the oldest stretch, whole and in order of writing.
https://github.com/nostr-protocol/nips/blob/master/01.md
https://github.com/block/buzz/blob/main/crates/buzz-relay/src/handlers/req.rs
"""

from dataclasses import dataclass, replace
from typing import Final, Self

from threadline.platforms.buzz.event import Event

PAGE: Final = 200
"""Messages asked for at once: four pages fit into the 1,000 frames that Buzz buffers."""

SMALL: Final = 100
"""A page with fewer, whose end was told, is whole: no relay hands out so few at most."""

MOST_BYTES: Final = 4_000_000
MOST_STRETCHES: Final = 5_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of time to be read, both seconds included; `until` 0: it has no end yet.

    `known`: so many messages of it were seen already, in a page that held others, too.
    """

    since: int
    until: int = 0
    known: int = 0

    def holds(self, at: int) -> bool:
        """Tell whether a message of this time belongs to it."""
        return self.since <= at and (not self.until or at <= self.until)

    @property
    def one_second(self) -> bool:
        """Whether it cannot be divided further."""
        return self.since == self.until


@dataclass(frozen=True, slots=True)
class Page:
    """What came of a stretch; `heard_at` is when something last came, or it was asked for.

    `ended`: the relay said that this is all. `cut`: the oldest were let go, to hold little.
    `strayed` counts what came and was not asked for.
    """

    heard_at: float
    events: tuple[Event, ...] = ()
    size: int = 0
    ended: bool = False
    cut: bool = False
    strayed: int = 0

    def with_event(self, event: Event, size: int, now: float) -> Self:
        """Add a message of so many bytes; one that is there already counts once."""
        if any(one.id == event.id for one in self.events):
            return replace(self, heard_at=now)
        events, size = (*self.events, event), self.size + size
        if len(events) <= 2 * PAGE and size <= MOST_BYTES:
            return replace(self, events=events, size=size, heard_at=now)
        kept = in_order(events)[-max(min(PAGE, len(events) // 2), 1) :]
        size = size * len(kept) // len(events)
        return replace(self, events=kept, size=size, heard_at=now, cut=True)


def in_order(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Give messages in the order of writing."""
    return tuple(sorted(events, key=lambda one: (one.created_at, one.id)))


def divided(stretch: Stretch, page: Page) -> tuple[Stretch, ...]:
    """Give the parts to be read in place of a stretch, the oldest last; none: the page is whole."""
    if _whole(stretch, page):
        return ()
    times = [event.created_at for event in page.events]
    oldest, since, until = min(times), stretch.since, stretch.until
    newer = sum(at > oldest for at in times)
    if newer:
        return (Stretch(oldest + 1, until, newer), Stretch(since, oldest, len(times) - newer))
    parts = (
        Stretch(oldest + 1, until) if until != oldest else None,
        Stretch(oldest, oldest, len(times)),
        Stretch(since, oldest - 1) if since < oldest else None,
    )
    return tuple(part for part in parts if part)


def missed(stretch: Stretch, page: Page) -> str:
    """Tell why a page that counts as whole may not be all there was; "" where it is."""
    if page.strayed >= SMALL and len(page.events) <= stretch.known:
        return "the relay does not keep to the times it is asked for"
    count = len(page.events)
    if stretch.one_second and (page.cut or count >= SMALL or (count > 1 and not page.ended)):
        return "more was written in one second than a page holds"
    return ""


def _whole(stretch: Stretch, page: Page) -> bool:
    count = len(page.events)
    if not count or stretch.one_second:
        return True
    if page.cut:
        return False
    if not page.ended:  # the relay may have stopped in the middle
        return count == stretch.known
    return count < SMALL or count <= stretch.known
