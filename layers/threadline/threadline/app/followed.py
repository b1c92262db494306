"""Who follows which run: what the conversations say, and the followers' own items."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import batched
from typing import Final

from threadline.app import codec, items
from threadline.app.codec import Unreadable
from threadline.app.plan import send
from threadline.app.world import World
from threadline.core.envelope import FollowRun
from threadline.core.ports import Item, Key
from threadline.core.records import Conversation, RunRecord
from threadline.core.settings import ReplyMode
from threadline.core.turn import State

MOST_KEYS: Final = 100
"""Items that one read gives at most."""

MOST_RUNS: Final = 10_000
LOOKS_AHEAD: Final = 120.0
"""Seconds within which every conversation is due whose run somebody follows."""


def run_of(conversation: Conversation) -> Key | None:
    """Name the follower's item of a conversation, None where nobody is to follow anything."""
    turn = conversation.turn
    if turn is None or conversation.state is not State.RUNNING or turn.reply is ReplyMode.LOG:
        return None
    return items.run(conversation.key, turn.id)


def records(world: World, runs: Iterable[Key]) -> Mapping[Key, tuple[RunRecord, int]]:
    """Read followers' items and their versions; those that are not there are left out."""
    found = {}
    for keys in batched(runs, MOST_KEYS, strict=False):
        for key, item in zip(keys, world.store.get(keys), strict=True):
            record = items.read(RunRecord, item)
            if item is not None and record is not None:
                found[key] = (record, item.version)
    return found


def held_by(world: World, holder: str) -> Mapping[tuple[Key, int], FollowRun]:
    """Give the leases that a process has, by item and version, and what has each followed again.

    Raises StoreError.
    """
    due = world.store.due(items.CONVERSATION_DUE, world.clock.now() + LOOKS_AHEAD, MOST_RUNS)
    conversations = {key: one for one in map(_read, due) if one and (key := run_of(one))}
    return {
        (key, version): _again(conversations[key], version)
        for key, (record, version) in records(world, conversations).items()
        if record.holder == holder and not record.ended
    }


def hint(world: World, again: Sequence[FollowRun]) -> None:
    """Have runs followed again whose lease stood still for its length. Raises StoreError."""
    send(world, world.clock.now(), [], [*again], [])


def _read(item: Item) -> Conversation | None:
    try:
        return codec.record(Conversation, item.attributes)
    except Unreadable:
        return None  # the sweep tells


def _again(conversation: Conversation, version: int) -> FollowRun:
    assert conversation.turn is not None
    return FollowRun(
        conversation=conversation.key, mailbox=conversation.mailbox, turn=conversation.turn,
        topic=conversation.topic, observed=version,
    )  # fmt: skip
