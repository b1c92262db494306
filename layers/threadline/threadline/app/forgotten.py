"""Dispatch's part in forgetting: a conversation that is idle, or one sender's waiting messages.

What is in work is left as it is. Whoever asked looks afterwards, and says that it has to end first.
"""

from dataclasses import replace

from threadline.app import items, waits
from threadline.app.scene import Scene
from threadline.app.world import World
from threadline.core.envelope import FollowRun, Forget
from threadline.core.ids import ConversationKey
from threadline.core.ports import Delete, Expect, ItemStore, Put
from threadline.core.records import Conversation, RunRecord
from threadline.core.turn import State


def forget(scene: Scene, mail: Forget) -> None:
    """Do what the mail asks, unless the conversation is in work."""
    if mail.sender:
        _forget_sender(scene, mail.sender)
    elif scene.conversation.state is State.IDLE and not followed(scene.world, scene.key):
        _forget_all(scene)


def followed(world: World, key: ConversationKey) -> bool:
    """Tell whether somebody follows a run of this conversation, the current one or a former."""
    return followed_in(world.store, key, world.clock.now())


def followed_in(store: ItemStore, key: ConversationKey, now: float) -> bool:
    """Tell whether a lease on a run of this conversation is held."""
    for item in store.query("conversations", key, "run#", descending=True):
        record = items.read(RunRecord, item)
        if record is not None and not record.ended and record.lease_end > now:
            return True
    return False


def is_gone(world: World, hint: FollowRun) -> bool:
    """Tell whether the turn of a hint was forgotten with its conversation."""
    mark = items.forgotten(world.settings().namespace, hint.conversation)
    if world.store.get([mark])[0] is None:
        return False
    known = items.read(Conversation, world.store.get([items.conversation(hint.conversation)])[0])
    return known is None or known.turn is None or known.turn.id != hint.turn.id


def _forget_all(scene: Scene) -> None:
    """Remove the conversation and what waits in it, and leave a mark that names nobody."""
    mark = items.forgotten(scene.settings.namespace, scene.key)
    dropped = scene.world.store.query("conversations", scene.key, waits.PREFIX, limit=90)
    scene.world.store.write(
        [
            Delete(items.conversation(scene.key), scene.expect),
            Put(items.forgotten_item(mark, scene.now), Expect.ANY),
            *(Delete(item.key, Expect.ANY) for item in dropped),
        ]
    )


def _forget_sender(scene: Scene, sender: str) -> None:
    """Drop what the sender's messages wait for; those of a turn that is in work stay."""
    turn, held, waiting = scene.conversation.turn, 0, 0
    taken = turn.waits if turn else ()
    for sort, one in waits.backlog(scene):
        theirs = one.message.sender.id.casefold() == sender.casefold()
        if theirs and sort not in taken:
            waits.drop(scene, [sort])
            held, waiting = held + bool(one.hold_until), waiting + (not one.hold_until)
    if held or waiting:
        scene.conversation = replace(
            scene.conversation, waiting=scene.conversation.waiting - waiting,
            held=scene.conversation.held - held,
        )  # fmt: skip
        scene.commit()
