"""Edits: one of a waiting message replaces its text; one that came first waits for its original."""

from dataclasses import replace
from typing import Final

from threadline.app import items, waits
from threadline.app.place import accept, digest, place
from threadline.app.scene import Scene
from threadline.core import keys
from threadline.core.message import MessageKind
from threadline.core.ports import Expect, Put
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Seen, Waiting
from threadline.core.settings import Binding
from threadline.core.texts import say

HOLD: Final = 2.0
MOST_HELD: Final = 20
RELEASED_AT_ONCE: Final = 5


def arrive(scene: Scene, waiting: Waiting, binding: Binding, original: Seen | None) -> bool:
    """Place an edit; tell whether an agent call is next."""
    if original is None:
        _hold(scene, waiting)
        return False
    if original.digest == digest(waiting.message):
        accept(scene, waiting, reason=Reason.DUPLICATE, fate=Fate.DONE)
        scene.journal(Reason.DUPLICATE, deliveries=(waiting.message.delivery,))
        return False
    changed = replace(original, digest=digest(waiting.message))
    scene.plan.change(Put(items.seen_item(changed, scene.now), Expect.ANY))
    for sort, other in waits.backlog(scene):
        taken = scene.conversation.turn is not None and sort in scene.conversation.turn.waits
        if other.identity == original.identity and not taken:
            _replace_text(scene, sort, other, waiting)
            return False
    return place(scene, _marked(scene, waiting), binding)


def original_of(waiting: Waiting) -> str:
    """Give the identity of the message an edit changes."""
    message = waiting.message
    parts = keys.split(waiting.identity)
    return keys.dedupe_key(
        message.platform, message.app, message.workspace, message.chat, message.edits, *parts[5:]
    )


def held_for(scene: Scene, waiting: Waiting) -> Waiting:
    """Give the original with the text of an edit that came before it, and drop that edit."""
    if not scene.conversation.held:
        return waiting
    for sort, other in waits.backlog(scene):
        if other.hold_until and original_of(other) == waiting.identity:
            waits.drop(scene, [sort])
            scene.conversation = replace(scene.conversation, held=scene.conversation.held - 1)
            scene.journal(Reason.EDITED_WAITING, deliveries=(other.message.delivery,))
            return _with_text(waiting, other)
    return waiting


def release(scene: Scene) -> bool:
    """Take held edits whose original never came as messages; tell whether an agent call is next."""
    starts, released = False, 0
    scene.conversation = replace(scene.conversation, held_due=scene.now + HOLD)
    for sort, other in waits.backlog(scene):
        if not other.hold_until or other.hold_until > scene.now:
            continue
        released += 1
        if released > RELEASED_AT_ONCE:
            break
        waits.drop(scene, [sort])
        scene.conversation = replace(scene.conversation, held=scene.conversation.held - 1)
        binding = scene.settings.binding(other.binding)
        if binding is None:
            scene.journal(Reason.NO_BINDING, deliveries=(other.message.delivery,))
            continue
        accept(scene, replace(other, identity=original_of(other)))
        starts = place(scene, replace(other, hold_until=0.0), binding) or starts
    if scene.conversation.held > 0:
        scene.plan.wake_at(scene.conversation.held_due, scene.wake("edit held"))
    return starts


def is_edit(waiting: Waiting) -> bool:
    """Tell whether this is an edit of another message."""
    return waiting.message.kind is MessageKind.EDIT and bool(waiting.message.edits)


def _hold(scene: Scene, waiting: Waiting) -> None:
    until, held = scene.now + HOLD, scene.conversation.held
    if held >= MOST_HELD:
        accept(scene, waiting, reason=Reason.BACKLOG_FULL, fate=Fate.DONE)
        scene.journal(Reason.BACKLOG_FULL, deliveries=(waiting.message.delivery,))
        return
    waits.add(scene, replace(waiting, hold_until=until))
    first = scene.conversation.held_due if held else until
    scene.conversation = replace(scene.conversation, held=held + 1, held_due=first)
    scene.plan.wake_at(until, scene.wake("edit held"))
    scene.journal(Reason.EDIT_HELD, deliveries=(waiting.message.delivery,))


def _replace_text(scene: Scene, sort: str, other: Waiting, edit: Waiting) -> None:
    waits.rewrite(scene, sort, _with_text(other, edit))
    accept(scene, edit, reason=Reason.EDITED_WAITING, fate=Fate.DONE)
    scene.journal(Reason.EDITED_WAITING, deliveries=(edit.message.delivery,))


def _with_text(original: Waiting, edit: Waiting) -> Waiting:
    message = replace(
        original.message, text=edit.message.text, prompt=edit.message.prompt,
        files=edit.message.files or original.message.files,
    )  # fmt: skip
    return replace(original, message=message, prompt=edit.prompt, edited=True)


def _marked(scene: Scene, waiting: Waiting) -> Waiting:
    """Mark a follow-up as an edit, so that the agent can tell it from a new wish."""
    message = waiting.message
    text = say("edited", scene.settings.language, text=message.text)
    return replace(waiting, message=replace(message, text=text), edited=True)
