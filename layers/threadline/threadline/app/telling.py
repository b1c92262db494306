"""One of our sentences to the sender of a message that has no place in a conversation."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from threadline.app import items
from threadline.app.plan import Plan
from threadline.app.speak import destination_of
from threadline.app.world import World
from threadline.core import keys
from threadline.core.envelope import Arrived
from threadline.core.ids import ConversationKey, TurnId
from threadline.core.message import Message, MessageKind
from threadline.core.ports import Expect, Put
from threadline.core.posting import Reply, Tone
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Part, Seen
from threadline.core.texts import say

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        Reason.NO_BINDING: "no_binding",
        Reason.NOT_ALLOWED: "not_allowed",
        Reason.PAUSED: "paused",
    }
)
"""What is said of a message that leads to nothing, by its reason."""


WAITED_FOR: Final = 900.0
"""Seconds for which a command's answer is waited for; what nobody waits for is not said."""


def tell(world: World, mail: Arrived, reason: str) -> None:
    """Tell whoever gave a command and waits for its answer why nothing follows.

    The sentence is the message's effect, and it has one: what had its effect is told nothing, what
    was told has no other. Raises Conflict.
    """
    message, sentence, now = mail.message, SENTENCES.get(reason), world.clock.now()
    if not message.awaited or sentence is None or now - message.sent_at > WAITED_FOR:
        return
    known = world.store.get([items.seen(identity_of(message))])[0]
    seen = items.read(Seen, known)
    if seen is not None and not (mail.redriven and seen.fate is Fate.DEAD):
        return
    plan = Plan(world, now)
    turn = keys.turn_id(now, world.random())
    row = seen_row(message, turn, Fate.DONE, reason)
    plan.change(Put(items.seen_item(row, now), known.version if known else Expect.ABSENT))
    plan_sentence(world, plan, message, sentence, turn, lapses=message.sent_at + WAITED_FOR)
    plan.commit()


def identity_of(message: Message) -> str:
    """Name a message that reaches one agent at most."""
    return keys.dedupe_key(
        message.platform, message.app, message.workspace, message.chat, message.id
    )


def seen_row(message: Message, turn: TurnId, fate: Fate, reason: str) -> Seen:
    """Give the dedupe row of a message that has no place in a conversation."""
    return Seen(
        identity=identity_of(message), delivery=message.delivery, conversation=_place(message),
        turn=turn, fate=fate, reason=str(reason), sender=message.sender.id,
    )  # fmt: skip


def plan_sentence(
    world: World, plan: Plan, message: Message, key: str, turn: TurnId, *, lapses: float = 0.0
) -> None:
    """Plan a sentence where the message was said.

    Who gave a command or pressed a button among others is told alone, where the platform can.
    """
    platform = world.platform(message.platform)
    if platform is None:
        return
    to = destination_of(message)
    if not message.private and (message.kind is MessageKind.PRESS or message.awaited):
        to = replace(to, only=message.sender.id)
    text = say(key, world.settings().language)
    plan.say(
        Part(
            id=keys.part_id(turn, 0), turn=turn, number=0, conversation=_place(message),
            destination=to, action="post", draft=platform.render(Reply(text, Tone.NOTICE))[0],
            order=plan.now, delivery=message.delivery, moved_at=plan.now, lapses=lapses,
        )
    )  # fmt: skip


def _place(message: Message) -> ConversationKey:
    return keys.conversation_key(
        message.platform, message.app, message.workspace, message.chat, message.topic
    )
