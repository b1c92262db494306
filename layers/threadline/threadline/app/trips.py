"""What many followers ask for at once, carried in few trips to the store or a queue."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

AT_ONCE: Final = 2
"""Trips under way: one that the store holds up does not hold up all others."""


class Blocking(Protocol):
    """Runs blocking work beside the loop."""

    def __call__[T](self, work: Callable[[], T], /) -> Awaitable[T]:
        """Give what the work returns; raise what it raises."""
        ...


async def in_thread[T](work: Callable[[], T]) -> T:
    """Run blocking work in one of the loop's own threads, which are few."""
    return await asyncio.to_thread(work)


@dataclass(slots=True)
class _Trip[Asked, Answer]:
    """One trip: what it carries, until it leaves, and what came of it."""

    asked: list[Asked]
    made: asyncio.Task[Sequence[Answer]] | None = None


@dataclass(slots=True)
class Trips[Asked, Answer]:
    """Collects what is asked for while others are under way, and carries up to `most` together.

    `carry` takes what was asked and gives an answer to each, in order. Nobody waits longer for
    company: a trip leaves as soon as one of the two that may be under way is back.
    """

    carry: Callable[[Sequence[Asked]], Sequence[Answer]]
    blocking: Blocking
    most: int
    _free: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(AT_ONCE))
    _boarding: _Trip[Asked, Answer] | None = None

    async def take(self, asked: Asked) -> Answer:
        """Give the answer to what is asked. Raises what the trip as a whole failed with."""
        trip = self._boarding
        if trip is None or len(trip.asked) >= self.most:
            trip = self._boarding = _Trip([])
            trip.made = asyncio.create_task(self._make(trip))
        place = len(trip.asked)
        trip.asked.append(asked)
        assert trip.made is not None
        answers = await asyncio.shield(trip.made)
        return answers[place]

    async def _make(self, trip: _Trip[Asked, Answer]) -> Sequence[Answer]:
        async with self._free:
            if self._boarding is trip:
                self._boarding = None
            return await self.blocking(lambda: self.carry(tuple(trip.asked)))
