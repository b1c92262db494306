"""Every minute: whatever is due and nobody moved is woken; and timers go where they point."""

import json
from typing import Final

from threadline.app import codec, items
from threadline.app.codec import Unreadable
from threadline.app.ingest import UNACCEPTED
from threadline.app.plan import delay_until, mailbox_message
from threadline.app.world import World
from threadline.core.envelope import FlushOutbox, FollowRun, Timer, Wake
from threadline.core.ports import Item, Outgoing
from threadline.core.reasons import Reason
from threadline.core.records import Conversation, Part

MOST: Final = 5000
EARLY: Final = 1.0
"""A timer that fires this many seconds early counts as on time."""


def sweep(world: World) -> None:
    """Wake due conversations, hint due parts, drain what ingest kept aside."""
    now = world.clock.now()
    wakes = [wake for item in world.store.due(items.CONVERSATION_DUE, now, MOST)
             if (wake := _wake(world, item)) is not None]  # fmt: skip
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
