"""A message that could not be handled: it is marked for a redrive, and its sender is told."""

from threadline.app import admission, choose, items
from threadline.app.plan import Plan
from threadline.app.telling import WAITED_FOR, identity_of, plan_sentence, seen_row
from threadline.app.world import World
from threadline.core import keys
from threadline.core.envelope import Arrived
from threadline.core.message import Message
from threadline.core.ports import Expect, Put
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Seen
from threadline.core.settings import Binding, ReplyMode


def mark_dead(world: World, plan: Plan, mail: Arrived, reason: Reason) -> bool:
    """Let a redrive in and tell the sender; give False where the message already had its effect."""
    message = mail.message
    seen = items.read(Seen, world.store.get([items.seen(identity_of(message))])[0])
    if seen is not None:
        return seen.fate is Fate.DEAD
    turn = keys.turn_id(plan.now, world.random())
    row = seen_row(message, turn, Fate.DEAD, reason)
    plan.change(Put(items.seen_item(row, plan.now), Expect.ABSENT))
    if message.private or _was_for_us(world, message):
        plan_sentence(world, plan, message, "not_taken", turn)
    elif message.awaited:
        lapses = message.sent_at + WAITED_FOR
        plan_sentence(world, plan, message, "not_taken", turn, lapses=lapses)
    return True


def _was_for_us(world: World, message: Message) -> bool:
    """Tell whether somebody who may talk said it to us, in a place of several people.

    Never where one message may call several agents: who was called is found out by the very code
    that may be what failed.
    """
    if choose.fans_out(world, message):
        return False
    return any(
        not verdict.reason
        and verdict.binding.reply is not ReplyMode.LOG
        and not choose.refusal(
            verdict.binding, message, admitted=_is_admitted(world, verdict.binding, message)
        )
        for verdict in choose.choose(world, world.settings(), message)
    )


def _is_admitted(world: World, binding: Binding, message: Message) -> bool:
    if not binding.allow.admitted:
        return False
    person = admission.admitted_key(message.platform, message.app, message.sender.id)
    return world.store.get([person])[0] is not None
