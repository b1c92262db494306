"""Who follows a run: a numbered lease on its item; the queue is only a hint."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from threadline.app import items
from threadline.app.trips import Blocking, Trips
from threadline.app.world import World
from threadline.core.envelope import FollowRun
from threadline.core.errors import Conflict, LeaseLost
from threadline.core.ports import MAX_CHANGES, Change, Check, Expect, Hindrance, Put
from threadline.core.records import Conversation, RunRecord

LENGTH: Final = 45.0
RENEW_EVERY: Final = 15.0
SILENT_AFTER: Final = 25.0
"""Seconds without a renewal, an edit's time included, after which a holder may be dead."""

EDIT_NEEDS: Final = 12.0
"""Seconds of lease an edit must have left; also how long a new holder waits with its first."""

type Writes = Trips[Sequence[Change], Hindrance]


@dataclass(frozen=True, slots=True)
class Lease:
    """A held lease: the record as last written and its version."""

    record: RunRecord
    version: int

    def left(self, now: float) -> float:
        """Give the seconds left on the holder's own clock."""
        return self.record.lease_end - now


@dataclass(frozen=True, slots=True)
class Held:
    """Somebody else holds the lease; `version` tells later whether it stood still.

    `silent`: it was not renewed when it should have been.
    """

    version: int
    silent: bool = True


@dataclass(frozen=True, slots=True)
class Gone:
    """The conversation was forgotten, and the turn with it."""


@dataclass(frozen=True, slots=True)
class Over:
    """The run's answer is in the ledger already."""

    record: RunRecord


def is_silent(record: RunRecord, now: float) -> bool:
    """Tell whether nobody follows any more, as far as the holder's clock can be believed.

    Only a reason to look: whether somebody else may follow is for the version to say.
    """
    return record.ended or now > record.lease_end - LENGTH + SILENT_AFTER


def first(world: World, hint: FollowRun, with_it: list[Change]) -> Lease | Gone | None:
    """Take the lease of a run nobody followed yet, with changes that go with it; None if taken."""
    mark = items.forgotten(world.settings().namespace, hint.conversation)
    try:
        return _first(world, hint, [*with_it, Check(mark, Expect.ABSENT)])
    except Conflict as conflict:
        if mark.sort not in conflict.failed:
            return None
    item = world.store.get([items.conversation(hint.conversation)])[0]
    known = items.read(Conversation, item)
    if item is None or known is None or known.turn is None or known.turn.id != hint.turn.id:
        return Gone()
    try:
        return _first(world, hint, [*with_it, Check(item.key, item.version)])
    except Conflict:
        return None


def _first(world: World, hint: FollowRun, with_it: list[Change]) -> Lease:
    record = RunRecord(
        turn=hint.turn.id, conversation=hint.conversation, run=hint.turn.run, lease=1,
        holder=world.holder, lease_end=world.clock.now() + LENGTH,
    )  # fmt: skip
    put = Put(items.run_item(record, world.clock.now()), Expect.ABSENT)
    world.store.write([put, *with_it])
    return Lease(record, 1)


def take_over(world: World, hint: FollowRun) -> Lease | Held | Over | Gone:
    """Take a lease that was given back, or stood still for a lease length, or is our own.

    Our own, because whoever asks does not follow the run: this process let go of it.
    """
    item = world.store.get([items.run(hint.conversation, hint.turn.id)])[0]
    record = items.read(RunRecord, item)
    if item is None or record is None:
        return first(world, hint, []) or Held(0)
    if record.ended:
        return Over(record)
    others = record.holder not in {"", world.holder}
    if others and item.version != hint.observed:
        return Held(item.version, is_silent(record, world.clock.now()))
    taken = replace(
        record, lease=record.lease + 1, holder=world.holder,
        lease_end=world.clock.now() + LENGTH,
    )  # fmt: skip
    try:
        world.store.write([Put(items.run_item(taken, world.clock.now()), item.version)])
    except Conflict:
        return Held(item.version)
    return Lease(taken, item.version + 1)


def write(world: World, lease: Lease, record: RunRecord, with_it: list[Change]) -> Lease:
    """Write the record under the lease, with changes that go with it. Raises LeaseLost."""
    try:
        world.store.write([_put(world, lease, record), *with_it])
    except Conflict as error:
        raise LeaseLost(f"turn {record.turn}") from error
    return Lease(record, lease.version + 1)


def given_back(world: World, lease: Lease, record: RunRecord) -> Lease:
    """Give the lease up so that anybody may take it at once. Raises LeaseLost."""
    return write(world, lease, _free(record), [])


def writes_of(world: World, blocking: Blocking) -> Writes:
    """Carry the writes of many leases together; each is fenced by its own version."""

    def carry(several: Sequence[Sequence[Change]]) -> Sequence[Hindrance]:
        return world.store.write_each(several)

    return Trips(carry, blocking, MAX_CHANGES)


def next_renewal(now: float) -> float:
    """Give when a lease is renewed next: in whole seconds, so that many fall together."""
    return float(math.floor(now + RENEW_EVERY))


async def renewed(world: World, writes: Writes, lease: Lease, record: RunRecord) -> Lease:
    """Prolong the lease and store how far the follower came. Raises LeaseLost."""
    longer = replace(record, lease_end=world.clock.now() + LENGTH)
    return await _written(world, writes, lease, longer)


async def handed_over(world: World, writes: Writes, lease: Lease, record: RunRecord) -> Lease:
    """Give the lease up as `given_back` does, together with others. Raises LeaseLost."""
    return await _written(world, writes, lease, _free(record))


async def _written(world: World, writes: Writes, lease: Lease, record: RunRecord) -> Lease:
    hindrance = await writes.take([_put(world, lease, record)])
    if isinstance(hindrance, Conflict):
        raise LeaseLost(f"turn {record.turn}") from hindrance
    if hindrance is not None:
        raise hindrance
    return Lease(record, lease.version + 1)


def _put(world: World, lease: Lease, record: RunRecord) -> Put:
    return Put(items.run_item(record, world.clock.now()), lease.version)


def _free(record: RunRecord) -> RunRecord:
    return replace(record, holder="", lease_end=0.0)
