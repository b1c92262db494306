import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from threadline import wiring
from threadline.app import items, lease
from threadline.app.lease import Lease
from threadline.app.trips import Trips, in_thread
from threadline.app.world import World
from threadline.core.errors import LeaseLost, StoreUnavailable
from threadline.core.ids import ConversationKey, RunId, TurnId
from threadline.core.ports import Expect, Put
from threadline.core.records import RunRecord


@dataclass
class Ferry:
    """Carries numbers and gives their doubles; waits at the far side until told to come back."""

    back: asyncio.Event = field(default_factory=asyncio.Event)
    trips: list[Sequence[int]] = field(default_factory=list)

    def carry(self, numbers: Sequence[int]) -> Sequence[int]:
        self.trips.append(numbers)
        return [number * 2 for number in numbers]

    async def blocking[T](self, work: Callable[[], T]) -> T:
        done = work()
        await self.back.wait()
        return done


def run[T](play: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a play in a loop of its own, for ten seconds at most."""

    async def bounded() -> T:
        async with asyncio.timeout(10):
            return await play()

    return asyncio.run(bounded())


def test_what_comes_at_once_is_carried_at_once() -> None:
    """Everybody who asks in the same moment shares a trip, and gets the answer to his own."""

    async def play() -> tuple[list[int], list[Sequence[int]]]:
        ferry = Ferry()
        trips = Trips(ferry.carry, ferry.blocking, most=100)
        ferry.back.set()
        return await asyncio.gather(*(trips.take(n) for n in range(50))), ferry.trips

    answers, trips = run(play)
    assert answers == [n * 2 for n in range(50)]
    assert [len(trip) for trip in trips] == [50]


def test_a_trip_carries_no_more_than_it_may() -> None:
    """What is too much for one trip goes by the next ones."""

    async def play() -> list[Sequence[int]]:
        ferry = Ferry()
        trips = Trips(ferry.carry, ferry.blocking, most=10)
        ferry.back.set()
        await asyncio.gather(*(trips.take(n) for n in range(25)))
        return ferry.trips

    assert [len(trip) for trip in run(play)] == [10, 10, 5]


def test_while_trips_are_under_way_others_collect() -> None:
    """Two trips at most are under way; who comes meanwhile leaves together, in order."""

    async def play() -> list[Sequence[int]]:
        ferry = Ferry()
        trips = Trips(ferry.carry, ferry.blocking, most=100)
        asking = []
        for number in range(6):
            asking.append(asyncio.create_task(trips.take(number)))
            for _ in range(5):
                await asyncio.sleep(0)
        ferry.back.set()
        assert await asyncio.gather(*asking) == [0, 2, 4, 6, 8, 10]
        return ferry.trips

    assert run(play) == [(0,), (1,), (2, 3, 4, 5)]


def test_who_gives_up_leaves_the_others_theirs() -> None:
    """One that is cancelled in mid-trip takes nobody's answer away."""

    async def play() -> list[int | BaseException]:
        ferry = Ferry()
        trips = Trips(ferry.carry, ferry.blocking, most=100)
        asking = [asyncio.create_task(trips.take(number)) for number in range(3)]
        await asyncio.sleep(0.01)
        asking[0].cancel()
        await asyncio.sleep(0.01)
        ferry.back.set()
        return await asyncio.gather(*asking, return_exceptions=True)

    first, *others = run(play)
    assert isinstance(first, asyncio.CancelledError)
    assert others == [2, 4]


def test_a_trip_that_fails_is_told_to_all_in_it() -> None:
    """What a trip as a whole raises reaches everybody in it, and the next trip is sound."""

    async def play() -> tuple[list[int | BaseException], int]:
        def sink(numbers: Sequence[int]) -> Sequence[int]:
            if 7 in numbers:
                raise StoreUnavailable("sunk")
            return numbers

        trips = Trips(sink, in_thread, most=100)
        told = await asyncio.gather(*(trips.take(n) for n in (6, 7)), return_exceptions=True)
        return told, await trips.take(8)

    told, after = run(play)
    assert [type(one) for one in told] == [StoreUnavailable, StoreUnavailable]
    assert after == 8


@pytest.fixture
def local(tmp_path: Path) -> Any:
    """Open the embedded ports."""
    opened = wiring.local_ports(tmp_path, synchronous="OFF")
    yield opened
    opened.close()


def quiet(event: str, **fields: str | float | bool) -> None:
    """Keep no log."""


def held(world: World, number: int) -> Lease:
    """Take the lease of a run."""
    record = RunRecord(
        turn=TurnId(f"t{number}"), conversation=ConversationKey("c"), run=RunId("r"),
        lease=1, holder=world.holder, lease_end=world.clock.now() + lease.LENGTH,
    )  # fmt: skip
    world.store.write([Put(items.run_item(record, world.clock.now()), Expect.ABSENT)])
    return Lease(record, 1)


def test_a_lost_lease_is_lost_alone(local: wiring.LocalPorts) -> None:
    """Of a hundred leases renewed together one was taken over: that follower alone hears it."""
    ours = wiring.world_of(local.ports, quiet)
    theirs = wiring.world_of(local.ports, quiet)
    leases = [held(ours, number) for number in range(100)]
    taken = leases[42]
    lease.write(theirs, taken, taken.record, [])

    async def play() -> list[Lease | BaseException]:
        writes = lease.writes_of(ours, in_thread)
        renewing = (lease.renewed(ours, writes, one, one.record) for one in leases)
        return await asyncio.gather(*renewing, return_exceptions=True)

    renewed = run(play)
    lost = [number for number, one in enumerate(renewed) if isinstance(one, LeaseLost)]
    assert lost == [42]
    assert {one.version for one in renewed if isinstance(one, Lease)} == {2}
    stored = ours.store.get([items.run(ConversationKey("c"), TurnId(f"t{n}")) for n in range(100)])
    assert [item.version for item in stored if item] == [2] * 100


def test_renewals_are_made_in_few_transactions(local: wiring.LocalPorts) -> None:
    """Two hundred renewals that fall due together cost the embedded store two trips or three."""
    world = wiring.world_of(local.ports, quiet)
    leases = [held(world, number) for number in range(200)]
    trips = []

    async def counted[T](work: Callable[[], T]) -> T:
        trips.append(1)
        return await in_thread(work)

    async def play() -> None:
        writes = lease.writes_of(world, counted)
        await asyncio.gather(*(lease.renewed(world, writes, one, one.record) for one in leases))

    run(play)
    assert len(trips) <= 3


def test_renewals_fall_together() -> None:
    """Runs that began within a second are renewed in the same moment, never late."""
    begun = [1_750_000_000.0 + number / 100 for number in range(100)]
    assert {lease.next_renewal(at) for at in begun} == {1_750_000_015.0}
    assert all(14.0 < lease.next_renewal(at) - at <= lease.RENEW_EVERY for at in begun)
