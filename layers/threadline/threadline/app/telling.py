"""One of our sentences to the sender of a message that has no place in a conversation."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from threadline.app.plan import Plan
from threadline.app.speak import destination_of
from threadline.app.world import World
from threadline.core import keys
from threadline.core.ids import TurnId
from threadline.core.message import Message, MessageKind
from threadline.core.posting import Reply, Tone
from threadline.core.reasons import Reason
from threadline.core.records import Part
from threadline.core.texts import say

SENTENCES: Final[Mapping[str, str]] = MappingProxyType(
    {
        Reason.NO_BINDING: "no_binding",
        Reason.NOT_ALLOWED: "not_allowed",
        Reason.PAUSED: "paused",
    }
)
"""What is said of a message that leads to nothing, by its reason."""


def tell(world: World, message: Message, reason: str) -> None:
    """Say why nothing follows, where the platform shows the sender that an answer does.

    Whoever gets the message a second time says it again: it fills the same place.
    """
    sentence = SENTENCES.get(reason)
    if not message.awaited or sentence is None:
        return
    plan = Plan(world, world.clock.now())
    plan_sentence(world, plan, message, sentence, keys.turn_id(plan.now, world.random()))
    plan.commit()


def plan_sentence(world: World, plan: Plan, message: Message, key: str, turn: TurnId) -> None:
    """Plan a sentence where the message was said; to who pressed a button among others, alone."""
    platform = world.platform(message.platform)
    if platform is None:
        return
    to = destination_of(message)
    if message.kind is MessageKind.PRESS and not message.private:
        to = replace(to, only=message.sender.id)
    text = say(key, world.settings().language)
    conversation = keys.conversation_key(
        message.platform, message.app, message.workspace, message.chat, message.topic
    )
    plan.say(
        Part(
            id=keys.part_id(turn, 0), turn=turn, number=0, conversation=conversation,
            destination=to, action="post", draft=platform.render(Reply(text, Tone.NOTICE))[0],
            order=plan.now, delivery=message.delivery, moved_at=plan.now,
        )
    )  # fmt: skip
