"""Waiting messages: stored beside the conversation, long texts in a blob."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threadline.app import codec, items
from threadline.app.scene import Scene
from threadline.app.world import World
from threadline.core.ids import ConversationKey
from threadline.core.ports import Delete, Expect, Put
from threadline.core.records import Waiting

PREFIX: Final = "wait#"
MOST: Final = 100


def add(scene: Scene, waiting: Waiting) -> str:
    """Plan a waiting message behind the others and give its sort key."""
    number = scene.conversation.next_wait
    key = items.waiting(scene.key, number)
    scene.conversation = replace(scene.conversation, next_wait=number + 1)
    scene.plan.change(Put(items.waiting_item(_slim(scene.world, waiting), key), Expect.ABSENT))
    return key.sort


def rewrite(scene: Scene, sort: str, waiting: Waiting) -> None:
    """Plan a change of a waiting message in its place."""
    key = items.waiting_sort(scene.key, sort)
    scene.plan.change(Put(items.waiting_item(_slim(scene.world, waiting), key), Expect.ANY))


def load(
    world: World, conversation: ConversationKey, sorts: Sequence[str]
) -> tuple[tuple[str, Waiting], ...]:
    """Read waiting messages by sort key; those that are gone are left out."""
    if not sorts:
        return ()
    found = world.store.get([items.waiting_sort(conversation, sort) for sort in sorts])
    read = ((sort, items.read(Waiting, item)) for sort, item in zip(sorts, found, strict=True))
    return tuple((sort, _full(world, one)) for sort, one in read if one is not None)


def backlog(scene: Scene) -> tuple[tuple[str, Waiting], ...]:
    """Read the waiting messages of a conversation in order of their platform's sequence.

    Those that this step already removes are left out.
    """
    stored = scene.world.store.query("conversations", scene.key, PREFIX, limit=MOST)
    read = [
        (item.key.sort, codec.record(Waiting, item.attributes))
        for item in stored
        if not isinstance(scene.plan.changes.get(item.key), Delete)
    ]
    full = [(sort, _full(scene.world, one)) for sort, one in read]
    return tuple(sorted(full, key=lambda pair: (pair[1].message.order, pair[0])))


def drop(scene: Scene, sorts: Sequence[str]) -> None:
    """Plan the removal of waiting messages that were answered."""
    for sort in sorts:
        scene.plan.change(Delete(items.waiting_sort(scene.key, sort), Expect.ANY))


def _slim(world: World, waiting: Waiting) -> Waiting:
    message = waiting.message
    if len(message.text) + len(message.prompt) + len(waiting.prompt) <= items.LARGE_TEXT:
        return waiting
    name = f"waiting/{waiting.turn}-{world.random()}"
    world.blobs.put(name, codec.encode_value(waiting).encode(), "application/json")
    return replace(
        waiting, message=replace(message, text="", prompt=""), prompt="", blob=name
    )  # fmt: skip


def _full(world: World, waiting: Waiting) -> Waiting:
    if not waiting.blob:
        return waiting
    body = world.blobs.get(waiting.blob)
    return waiting if body is None else codec.decode_value(Waiting, body)
