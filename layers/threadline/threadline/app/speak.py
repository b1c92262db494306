"""What Threadline itself says: our sentences as parts of the ledger, or a mark on the message."""

from dataclasses import replace
from typing import Final

from threadline.app.rendered import rendered
from threadline.app.scene import Scene
from threadline.core import keys
from threadline.core.ids import DeliveryId, TurnId
from threadline.core.message import Message
from threadline.core.platform import Signals
from threadline.core.posting import Destination, Draft, Reply, Stage, Tone
from threadline.core.records import Part
from threadline.core.settings import ReplyMode
from threadline.core.texts import say

MOST_DRAFTS: Final = 20
"""Parts of one notice at most: all are planned in one write."""

SIGN_LIFE: Final = 30.0
"""Seconds within which it is worth saying that a message waits: later it may wait no more."""

FAILURES: Final = frozenset(
    {
        "agent_rejected",
        "gave_up",
        "not_taken",
        "run_failed",
        "run_vanished",
        "thread_owned_elsewhere",
        "time_limit",
    }
)
"""Sentences that a conversation without chat (one comment at the end) still hears."""


def destination_of(message: Message) -> Destination:
    """Give where an answer to this message goes."""
    return Destination(
        platform=message.platform, app=message.app, workspace=message.workspace,
        chat=message.chat, anchor=message.anchor, private=message.private, facts=message.facts,
    )  # fmt: skip


def in_words(message: Message, mode: ReplyMode) -> ReplyMode:
    """Give how our sentence to this sender is shown: who waits for an answer sees no mark."""
    return ReplyMode.CHAT if message.awaited and mode is ReplyMode.COMMENT else mode


def notice(  # noqa: PLR0913
    scene: Scene,
    to: Destination,
    mode: ReplyMode,
    key: str,
    *,
    delivery: str = "",
    stage: Stage = Stage.REFUSED,
    over: str = "",
    **values: str | int,
) -> None:
    """Plan one of our sentences; where the binding has no chat, mark the message instead."""
    if mode is ReplyMode.CHAT or (mode is ReplyMode.COMMENT and key in FAILURES):
        text = say(key, scene.settings.language, **values)
        markdown(scene, to, text, delivery=delivery, over=over)
    elif mode is ReplyMode.COMMENT:
        mark(scene, to, stage, delivery=delivery)


def whisper(scene: Scene, message: Message, mode: ReplyMode, key: str, **values: str | int) -> None:
    """Plan one of our sentences for the sender alone, where the platform can."""
    if mode is not ReplyMode.LOG:
        only = "" if message.private else message.sender.id
        to = replace(destination_of(message), only=only)
        text = say(key, scene.settings.language, **values)
        markdown(scene, to, text, delivery=message.delivery)


def markdown(
    scene: Scene, to: Destination, text: str, *, delivery: str = "", over: str = ""
) -> None:
    """Plan Markdown of our own as a notice; it takes the place of the post of part `over`."""
    scene.plan.say(*_parts(scene, to, text, delivery, over))


def withdraw(scene: Scene, to: Destination, sign: str, delivery: str) -> None:
    """Say in the post of a waiting message that it was dropped; nothing where it has none."""
    if sign:
        text = say("dropped", scene.settings.language)
        scene.plan.asides += _parts(scene, to, text, delivery, sign)


def _parts(scene: Scene, to: Destination, text: str, delivery: str, over: str) -> list[Part]:
    platform = scene.world.platform(to.platform)
    if platform is None:
        return []
    drafts, _ = rendered(platform, Reply(text, Tone.NOTICE), MOST_DRAFTS)
    if not drafts:
        return []
    turn = keys.turn_id(scene.now, scene.world.random())
    first = replace(_part(scene, to, turn, drafts[0], delivery), over=over)
    return [
        replace(
            first, id=keys.part_id(turn, number), number=number, draft=draft,
            order=first.order + number / 1000, over="" if number else over,
        )
        for number, draft in enumerate(drafts)
    ]  # fmt: skip


def mark(scene: Scene, to: Destination, stage: Stage, *, delivery: str = "") -> None:
    """Plan a mark on the message where the platform can show this stage."""
    platform = scene.world.platform(to.platform)
    if not (isinstance(platform, Signals) and stage in platform.stages and to.anchor):
        return
    turn = keys.turn_id(scene.now, scene.world.random())
    part = _part(scene, to, turn, Draft(""), delivery)
    scene.plan.say(replace(part, action="signal", stage=stage))


def queued(scene: Scene, to: Destination, turn: TurnId, delivery: str) -> str:
    """Plan the first sign of life of a waiting message as queued and give its part id."""
    platform = scene.world.platform(to.platform)
    if platform is None or not platform.traits.shows_queue:
        return ""
    draft = platform.render(Reply(say("queued", scene.settings.language), Tone.PROGRESS))[0]
    part = _part(scene, to, turn, draft, delivery)
    scene.plan.say(replace(part, lapses=scene.now + SIGN_LIFE))
    return part.id


def _part(scene: Scene, to: Destination, turn: TurnId, draft: Draft, delivery: str) -> Part:
    """Make part 0 of something said in this step, behind what the step already says."""
    return Part(
        id=keys.part_id(turn, 0), turn=turn, number=0, conversation=scene.key, destination=to,
        action="post", draft=draft,
        order=scene.now + (len(scene.plan.changes) + len(scene.plan.asides)) / 1000,
        delivery=DeliveryId(delivery), moved_at=scene.now,
        alias="" if to.only else scene.conversation.topic, mailbox=scene.conversation.mailbox,
    )  # fmt: skip
