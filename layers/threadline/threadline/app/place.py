"""Where a message goes in its conversation: a turn at once, the backlog, or a stated refusal."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from threadline.app import choose, items, waits
from threadline.app.asked import answers
from threadline.app.orders import order_of
from threadline.app.scene import Scene
from threadline.app.speak import destination_of, in_words, notice, queued, whisper, withdraw
from threadline.app.stopping import cancel
from threadline.core import keys
from threadline.core.envelope import FollowRun
from threadline.core.ids import ThreadId
from threadline.core.message import Message, MessageKind
from threadline.core.platform import Chooses
from threadline.core.ports import Expect, Put
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import Alias, Fate, Seen, Turn, Waiting
from threadline.core.settings import Binding, Busy, ReplyMode
from threadline.core.turn import Move, State

COLLECT_MOST: Final = 10
MOST_WAITING: Final = 40
"""The longest backlog: it can be dropped in one write."""


def place(scene: Scene, waiting: Waiting, binding: Binding) -> bool:
    """Begin a turn with this message, queue it or refuse it; tell whether an agent call is next."""
    state = scene.conversation.state
    if state is State.IDLE and scene.conversation.waiting == 0:
        begin(scene, [(waits.add(scene, waiting), waiting)], binding)
        return scene.conversation.state is State.STARTING
    if state is State.ASKING and answers(scene, waiting):
        begin(scene, [(waits.add(scene, waiting), waiting)], binding, answers=True)
        return scene.conversation.state is State.STARTING
    if binding.busy is Busy.INTERRUPT and state is State.ASKING:
        scene.move(Move.STOPPED)
        begin(scene, [(waits.add(scene, waiting), waiting)], binding)
        return scene.conversation.state is State.STARTING
    _queue_or_refuse(scene, waiting, binding)
    if binding.busy is Busy.INTERRUPT and state is State.RUNNING and cancel(scene):
        scene.conversation = replace(scene.conversation, turn=replace(scene.turn, stopped=True))
        scene.journal(Reason.STOPPED)
    return False


def accept(scene: Scene, waiting: Waiting, *, reason: str = "", fate: Fate = Fate.TAKEN) -> None:
    """Plan the dedupe row of a message: it goes with the effect or not at all."""
    row = Seen(
        identity=waiting.identity, delivery=waiting.message.delivery, conversation=scene.key,
        turn=waiting.turn, fate=fate, reason=str(reason), digest=digest(waiting.message),
        sender=waiting.message.sender.id,
    )  # fmt: skip
    scene.plan.change(Put(items.seen_item(row, scene.now), Expect.ANY))
    message, topic = waiting.message, scene.conversation.topic
    if topic and not message.private and fate is Fate.TAKEN:
        key = items.alias(
            message.platform, message.app, message.workspace, message.chat, message.id
        )
        alias = Alias(message.id, scene.key, scene.conversation.mailbox, topic)
        scene.plan.change(Put(items.alias_item(alias, key, scene.now), Expect.ANY))


def digest(message: Message) -> str:
    """Tell a text apart from another: some platforms send edits that change none of it."""
    parts = (message.text, *(file.id for file in message.files))
    return hashlib.sha256("\0".join(parts).encode(errors="replace")).hexdigest()[:16]


def begin(
    scene: Scene,
    batch: Sequence[tuple[str, Waiting]],
    binding: Binding,
    *,
    answers: bool = False,
) -> None:
    """Make one turn of these waiting messages; files are fetched first."""
    _settle_owner(scene, batch[-1][1], binding, batch)
    turn = _turn(scene, batch, binding, answers=answers)
    scene.conversation = replace(scene.conversation, turn=turn, question=None, hops=0)
    scene.batch = tuple(one for _, one in batch)
    files = tuple(file for one in scene.batch for file in one.message.files)
    moves = {
        (False, False): Move.TAKEN,
        (False, True): Move.TAKEN_WITH_FILES,
        (True, False): Move.ANSWERED,
        (True, True): Move.ANSWERED_WITH_FILES,
    }
    scene.move(moves[answers, bool(files)])
    if files:
        scene.plan.hints.append(
            FollowRun(
                conversation=scene.key, mailbox=scene.conversation.mailbox, turn=turn,
                files=files, job="fetch",
                turns=tuple(one.turn for one in scene.batch for _ in one.message.files),
            )
        )  # fmt: skip
    scene.journal(Reason.FETCHING if files else Reason.STARTING, f"agent {binding.agent}")


def _turn(
    scene: Scene, batch: Sequence[tuple[str, Waiting]], binding: Binding, *, answers: bool
) -> Turn:
    last = batch[-1][1]
    agent = scene.settings.agents.get(binding.agent)
    question = scene.conversation.question
    return Turn(
        id=last.turn, binding=binding.name, agent=binding.agent, owner=last.owner,
        thread=question.thread if answers and question else scene.conversation.thread,
        sender=last.message.sender.id, destination=destination_of(last.message),
        reply=binding.reply, waits=tuple(sort for sort, _ in batch),
        deliveries=tuple(dict.fromkeys(one.message.delivery for _, one in batch)),
        accepted_at=batch[0][1].accepted_at,
        limit_at=scene.now + (agent.time_limit if agent else 0.0),
        new_thread=not scene.conversation.thread_known, answers=answers,
        queued_part=last.queued_part,
    )  # fmt: skip


def begin_next(scene: Scene) -> bool:
    """After a turn ended: begin the next from the backlog; tell whether an agent call is next."""
    if scene.conversation.state is not State.IDLE or scene.conversation.waiting == 0:
        return False
    ready = [pair for pair in waits.backlog(scene) if not pair[1].hold_until]
    bound = []
    for sort, one in ready:
        if reason := _unbound(scene, one):
            _dismiss(scene, sort, one, reason)
        else:
            bound.append((sort, one))
    scene.conversation = replace(scene.conversation, waiting=len(bound))
    if not bound:
        return False
    binding = scene.settings.binding(bound[0][1].binding)
    if binding is None:
        return False
    batch = _batch(scene, bound, binding)
    scene.conversation = replace(scene.conversation, waiting=len(bound) - len(batch))
    begin(scene, batch, binding)
    return scene.conversation.state is State.STARTING


def _dismiss(scene: Scene, sort: str, waiting: Waiting, reason: str) -> None:
    """Drop a message that waited and may not run, with its reason; a press is answered."""
    message = waiting.message
    scene.journal(reason, deliveries=(message.delivery,))
    withdraw(scene, destination_of(message), waiting.queued_part, message.delivery)
    if reason == Reason.PRESS_LATE:
        whisper(scene, message, ReplyMode.CHAT, str(reason))
    waits.drop(scene, [sort])


def _unbound(scene: Scene, waiting: Waiting) -> str:
    """Tell why a message that waited may not run: the configuration changed, or it is a press."""
    message, binding = waiting.message, scene.settings.binding(waiting.binding)
    if message.kind is MessageKind.PRESS:
        return Reason.PRESS_LATE
    app = scene.settings.app(message.platform, message.app)
    if binding is None:
        return Reason.NO_BINDING
    if binding.paused or (app is not None and app.paused):
        return Reason.PAUSED
    if isinstance(scene.world.platform(message.platform), Chooses):
        return ""
    return choose.refusal(binding, message, admitted=True)


def answer_waiting(scene: Scene) -> bool:
    """Take a waiting message that answers the question; tell whether an agent call is next."""
    if scene.conversation.waiting == 0:
        return False
    for sort, waiting in waits.backlog(scene):
        binding = scene.settings.binding(waiting.binding)
        if binding and not waiting.hold_until and answers(scene, waiting):
            left = scene.conversation.waiting - 1
            scene.conversation = replace(scene.conversation, waiting=left)
            begin(scene, [(sort, waiting)], binding, answers=True)
            return scene.conversation.state is State.STARTING
    return False


def _batch(
    scene: Scene, ready: Sequence[tuple[str, Waiting]], binding: Binding
) -> Sequence[tuple[str, Waiting]]:
    """Take one message, or with `collect` those that follow of one owner, binding and trust.

    A command that has its turn has it alone.
    """
    first = ready[0][1]
    if binding.busy is not Busy.COLLECT or order_of(scene.world, first.message):
        return ready[:1]
    batch = []
    for sort, one in ready[:COLLECT_MOST]:
        alike = (
            one.owner == first.owner
            and one.binding == first.binding
            and one.message.sender.trust == first.message.sender.trust
            and order_of(scene.world, one.message) is None
        )
        if not alike:
            break
        batch.append((sort, one))
    return batch


def keep(scene: Scene, waiting: Waiting) -> bool:
    """Put a message into the backlog, where it has room; tell whether it had."""
    if scene.conversation.waiting >= MOST_WAITING:
        return False
    waits.add(scene, waiting)
    scene.conversation = replace(scene.conversation, waiting=scene.conversation.waiting + 1)
    scene.journal(
        Reason.QUEUED, f"{scene.conversation.waiting} waiting",
        deliveries=(waiting.message.delivery,),
    )  # fmt: skip
    return True


def _queue_or_refuse(scene: Scene, waiting: Waiting, binding: Binding) -> None:
    to = destination_of(waiting.message)
    delivery = waiting.message.delivery
    refusal = ""
    if binding.busy is Busy.REJECT:
        refusal = Reason.BUSY_REJECTED
    elif scene.conversation.waiting >= min(binding.backlog, MOST_WAITING):
        refusal = Reason.BACKLOG_FULL
    if refusal:
        accept(scene, waiting, reason=refusal, fate=Fate.DONE)
        scene.journal(refusal, deliveries=(delivery,))
        mode = in_words(waiting.message, binding.reply)
        notice(scene, to, mode, str(refusal), delivery=delivery, count=binding.backlog)
        return
    part = queued(scene, to, waiting.turn, delivery) if binding.reply is ReplyMode.CHAT else ""
    if scene.conversation.state is State.ASKING:
        notice(scene, to, binding.reply, "question_waits", delivery=delivery, stage=Stage.QUEUED)
    keep(scene, replace(waiting, queued_part=part))
    turn = scene.conversation.turn
    if turn is not None and turn.reply is ReplyMode.LOG:
        scene.plan.wake_at(scene.now + 5.0, scene.wake("backlog"))


def _settle_owner(
    scene: Scene, last: Waiting, binding: Binding, batch: Sequence[tuple[str, Waiting]]
) -> None:
    """Give the conversation its owner, epoch and thread; another owner starts a new epoch."""
    conversation = scene.conversation
    prescribed = batch[0][1].thread
    if conversation.owner and conversation.owner != last.owner:
        notice(scene, destination_of(last.message), binding.reply, "owner_changed")
        conversation = replace(conversation, epoch="", thread=ThreadId(""), thread_known=False)
    if not conversation.epoch:
        conversation = replace(conversation, epoch=scene.world.random())
    if not conversation.thread:
        thread = prescribed or keys.thread_id(
            scene.settings.namespace, last.owner, scene.key, conversation.epoch
        )
        conversation = replace(conversation, thread=thread)
    scene.conversation = replace(conversation, owner=last.owner)
