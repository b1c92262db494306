"""Every minute: whatever is due and nobody moved is woken; and timers go where they point."""

import json
from collections.abc import Sequence
from typing import Final

from threadline.app import codec, followed, items, lease
from threadline.app.codec import Unreadable
from threadline.app.ingest import UNACCEPTED
from threadline.app.plan import delay_until, mailbox_message
from threadline.app.world import World
from threadline.core.envelope import FlushOutbox, FollowRun, Timer, Wake
from threadline.core.ports import Item, Key, Outgoing
from threadline.core.reasons import Reason
from threadline.core.records import Conversation, Part

MOST: Final = 5000
EARLY: Final = 1.0
"""A timer that fires this many seconds early counts as on time."""


def sweep(world: World) -> None:
    """Wake due conversations, hint due parts, drain what ingest kept aside."""
    now = world.clock.now()
    found = world.store.due(items.CONVERSATION_DUE, now, MOST)
    wakes = [wake for item in found if (wake := _wake(world, item)) is not None]
    if len(found) < MOST:  # else they are woken too, so that others come into sight
        wakes = _without_followed(world, wakes, now)
    if wakes:
        world.queues.mailbox.send([mailbox_message(world, wake) for wake in wakes])
    places = dict.fromkeys(
        items.destination_of(codec.record(Part, item.attributes).destination)
        for item in world.store.due(items.OUTBOX_DUE, now, MOST)
    )
    if places:
        world.queues.outbox.send(
            [Outgoing(codec.encode(FlushOutbox(destination=place))) for place in places]
        )
    _drain(world)
    world.paces.forget(now)
    if wakes or places:
        world.log("sweep", wakes=len(wakes), destinations=len(places))


def timer(world: World, body: str) -> None:
    """Send on what a timer carries, or wait further; what cannot be read is dropped with a line."""
    try:
        due = codec.decode(body)
    except Unreadable as error:
        world.log("step", step=str(Reason.UNREADABLE), detail=str(error))
        return
    if not isinstance(due, Timer):
        return
    now = world.clock.now()
    if due.at - now > EARLY:
        again = Outgoing(codec.encode(due), delay=delay_until(due.at, now))
        world.queues.timers.send([again])
        return
    match due.mail:
        case Wake():
            world.queues.mailbox.send([mailbox_message(world, due.mail)])
        case FollowRun():
            world.queues.runs.send([Outgoing(codec.encode(due.mail))])
        case FlushOutbox():
            world.queues.outbox.send([Outgoing(codec.encode(due.mail))])


def _wake(world: World, item: Item) -> Wake | None:
    try:
        conversation = codec.record(Conversation, item.attributes)
    except Unreadable as error:
        world.log("alarm", reason=str(Reason.UNREADABLE), detail=str(error))
        return None
    return Wake(
        conversation=conversation.key, mailbox=conversation.mailbox, why="due",
        snapshot=conversation, version=item.version,
    )  # fmt: skip


def _without_followed(world: World, wakes: Sequence[Wake], now: float) -> list[Wake]:
    """Leave out the conversations whose run somebody follows: these have nothing to do."""
    runs = [_run_in_time(wake.snapshot, now) for wake in wakes]
    found = followed.records(world, filter(None, runs))
    lives = {run for run, (record, _) in found.items() if not lease.is_silent(record, now)}
    return [wake for wake, run in zip(wakes, runs, strict=True) if run not in lives]


def _run_in_time(conversation: Conversation | None, now: float) -> Key | None:
    """Name the follower's item of a run that may still go on, if only its follower is due."""
    if conversation is None or conversation.turn is None or now > conversation.turn.limit_at:
        return None
    others_due = conversation.held > 0 and conversation.held_due <= now
    return None if others_due else followed.run_of(conversation)


def _drain(world: World) -> None:
    """Send what ingest could only keep aside; the same dedup ids keep it from counting twice."""
    for name in world.blobs.names(UNACCEPTED, limit=100):
        body = world.blobs.get(name)
        if body is None:
            continue
        kept = json.loads(body)
        world.queues.mailbox.send(
            [Outgoing(one["body"], group=one["group"], dedup=one["dedup"]) for one in kept]
        )
        world.blobs.delete([name])
