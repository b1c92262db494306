"""A message in its mailbox: who may talk, seen before, command, edit, or a place in a turn."""

from dataclasses import dataclass, replace
from typing import Final

from threadline.app import admission, choose, edits, items, presses
from threadline.app.commands import Order, handle
from threadline.app.gates import capped, let_in, log_reason, owned_elsewhere, refuse
from threadline.app.orders import command_of, is_offered, order_of
from threadline.app.place import accept, place
from threadline.app.plan import mailbox_message
from threadline.app.scene import Scene, open_scene
from threadline.app.start import follow, proceed
from threadline.app.telling import tell
from threadline.app.world import World
from threadline.core import keys
from threadline.core.choice import Choice
from threadline.core.command import CommandName
from threadline.core.envelope import Arrived, FlushOutbox
from threadline.core.ids import ConversationKey, MailboxKey
from threadline.core.message import Message, MessageKind
from threadline.core.platform import Chooses
from threadline.core.ports import Expect, Item, Key, Outgoing
from threadline.core.reasons import Reason
from threadline.core.records import Alias, Claim, Conversation, Fate, Seen, Waiting
from threadline.core.settings import ReplyMode
from threadline.core.turn import State

BUDGET: Final = 10.0
URGENT: Final = frozenset({CommandName.STOP, CommandName.NEW})
"""Commands that no rate holds back."""


@dataclass(frozen=True, slots=True)
class _Read:
    """What one consistent read told about a message and its conversation."""

    conversation: Item | None
    seen: Seen | None
    original: Seen | None
    admitted: bool
    claim: Claim | None


def arrive(world: World, mail: Arrived) -> None:
    """Give the message its effect: turns, a queue place, an answer of our own, or a reason."""
    started = world.clock.now()
    message = mail.message
    if started - message.sent_at > items.KEEP_SEEN and not mail.redriven:
        log_reason(world, message, Reason.STALE)
        return
    settings = world.settings()
    choices = choose.choose(world, settings, message)
    if not choices:
        log_reason(world, message, Reason.NO_BINDING)
        tell(world, mail, Reason.NO_BINDING)
    ready = []
    for verdict in choices:
        choice = _heard_on(world, mail, verdict)
        if choice.reason:
            log_reason(world, message, choice.reason, binding=choice.binding.name)
            tell(world, mail, choice.reason)
            continue
        scene = _take(world, mail, choice)
        if scene is not None:
            ready.append(scene)
    for scene in ready:
        if world.clock.now() - started < BUDGET:
            proceed(scene)
        else:
            world.queues.mailbox.send([mailbox_message(world, scene.wake("budget"))])


def _take(world: World, mail: Arrived, choice: Choice) -> Scene | None:
    """Commit the effect of one choice; give the scene whose agent call is next."""
    message = mail.message
    key, mailbox, topic = _resolve(world, message, choice)
    if mailbox != message.mailbox and not mail.forwarded:
        _forward(world, mail, mailbox)
        return None
    waiting = _waiting(world, mail, choice)
    read = _read(world, key, waiting, choice)
    scene = _scene(world, read, message, key, mailbox, topic)
    seen_before = read.seen is not None and not (mail.redriven and read.seen.fate is Fate.DEAD)
    if not seen_before and let_in(scene, waiting, choice):
        return None
    if seen_before and read.seen is not None:
        _again(scene, message, read.seen)
        return None
    refusal = ""
    if not isinstance(world.platform(message.platform), Chooses):
        refusal = choose.refusal(choice.binding, message, admitted=read.admitted)
    if refusal:
        refuse(scene, mail, choice, refusal)
        return None
    command = command_of(world, message)
    urgent = command is not None and command.name in URGENT
    if not urgent and capped(scene, waiting, choice):
        return None
    if owned_elsewhere(scene, waiting, choice, read.claim):
        return None
    return _effect(scene, Order(command, waiting, choice.binding) if command else None,
                   waiting, choice, read)  # fmt: skip


def _effect(
    scene: Scene, order: Order | None, waiting: Waiting, choice: Choice, read: _Read
) -> Scene | None:
    if order is not None and not _has_turn(scene, order):
        handle(scene, order)
        return None
    if waiting.message.kind is MessageKind.PRESS:
        starts = presses.arrive(scene, waiting, choice.binding)
    elif edits.is_edit(waiting):
        starts = edits.arrive(scene, waiting, choice.binding, read.original)
    else:
        starts = place(scene, edits.held_for(scene, waiting), choice.binding)
    if items.seen(waiting.identity) not in scene.plan.changes:
        accept(scene, waiting)
    scene.commit()
    return scene if starts else None


def _has_turn(scene: Scene, order: Order) -> bool:
    """Tell whether a command waits for its turn; one the agent does not offer is refused now."""
    world, binding = scene.world, order.binding
    command = order_of(world, order.waiting.message)
    return command is not None and is_offered(world, scene.settings, binding.agent, command)


def _resolve(
    world: World, message: Message, choice: Choice
) -> tuple[ConversationKey, MailboxKey, str]:
    """Find the conversation: an alias of a message it replies to, else the message's own topic."""
    topic = choice.topic
    if message.replies_to and topic == message.topic:
        wanted = [
            items.alias(message.platform, message.app, message.workspace, message.chat, one)
            for one in message.replies_to
        ]
        for item in world.store.get(wanted):
            alias = items.read(Alias, item)
            if alias is not None:
                return alias.conversation, alias.mailbox, alias.topic
    key = keys.conversation_key(
        message.platform, message.app, message.workspace, message.chat, topic
    )
    return key, message.mailbox, topic


def _heard_on(world: World, mail: Arrived, verdict: Choice) -> Choice:
    """Hear an unaddressed message that goes on with a thread, or answers what was asked in one."""
    message, platform = mail.message, world.platform(mail.message.platform)
    if verdict.reason != Reason.NOT_ADDRESSED or platform is None:
        return verdict
    follows = platform.traits.follows_threads and bool(message.replies_to)
    may_answer = message.topic not in {"", message.id} and not isinstance(platform, Chooses)
    if not follows and not may_answer:
        return verdict
    key, _, _ = _resolve(world, message, verdict)
    known = items.read(Conversation, world.store.get([items.conversation(key)])[0])
    if known is None:
        return verdict
    heard = (follows and known.thread) or (may_answer and _was_asked(known, mail))
    return replace(verdict, reason="") if heard else verdict


def _was_asked(known: Conversation, mail: Arrived) -> bool:
    question, message = known.question, mail.message
    return (
        known.state is State.ASKING
        and question is not None
        and question.sender == message.sender.id
        and message.kind is MessageKind.CHAT
        and mail.accepted_at >= question.asked_at
    )


def _forward(world: World, mail: Arrived, mailbox: MailboxKey) -> None:
    """Send the message on to the mailbox its conversation belongs to, once."""
    moved = replace(mail, forwarded=True)
    sent = mailbox_message(world, moved)
    dedup = keys.queue_id(f"{mail.message.delivery}/forwarded")
    world.queues.mailbox.send(
        [Outgoing(sent.body, group=keys.queue_id(mailbox), dedup=dedup)]
    )  # fmt: skip
    log_reason(world, mail.message, Reason.FORWARDED, mailbox=mailbox)


def _waiting(world: World, mail: Arrived, choice: Choice) -> Waiting:
    message, binding = mail.message, choice.binding
    owner = choose.owner_of(binding, message)
    fan_out = (owner, binding.agent) if choose.fans_out(world, message) else ()
    return Waiting(
        message=message, binding=binding.name, owner=owner,
        turn=keys.turn_id(world.clock.now(), world.random()),
        identity=keys.dedupe_key(
            message.platform, message.app, message.workspace, message.chat, message.id, *fan_out
        ),
        accepted_at=mail.accepted_at, prompt=choice.prompt, thread=choice.thread,
    )  # fmt: skip


def _read(world: World, key: ConversationKey, waiting: Waiting, choice: Choice) -> _Read:
    message = waiting.message
    wanted: list[Key] = [items.conversation(key), items.seen(waiting.identity)]
    is_edit = edits.is_edit(waiting)
    if is_edit:
        wanted.append(items.seen(edits.original_of(waiting)))
    if choice.binding.allow.admitted:
        wanted.append(admission.admitted_key(message.platform, message.app, message.sender.id))
    if choice.thread:
        wanted.append(items.claim(choice.thread))
    found = dict(zip(wanted, world.store.get(wanted), strict=True))
    original = items.read(Seen, found[items.seen(edits.original_of(waiting))]) if is_edit else None
    person = admission.admitted_key(message.platform, message.app, message.sender.id)
    return _Read(
        conversation=found[items.conversation(key)],
        seen=items.read(Seen, found[items.seen(waiting.identity)]),
        original=original,
        admitted=found.get(person) is not None,
        claim=items.read(Claim, found.get(items.claim(choice.thread))),
    )


def _scene(
    world: World,
    read: _Read,
    message: Message,
    key: ConversationKey,
    mailbox: MailboxKey,
    topic: str,
) -> Scene:
    item = read.conversation
    person = message.sender.id if message.private else ""
    if item is not None:
        scene = scene_of(world, item)
        scene.conversation = replace(scene.conversation, person=person)
        return scene
    fresh = Conversation(
        key=key, mailbox=mailbox, platform=message.platform, app=message.app,
        workspace=message.workspace, chat=message.chat, topic=topic, person=person,
    )  # fmt: skip
    return open_scene(world, fresh, Expect.ABSENT)


def scene_of(world: World, item: Item) -> Scene:
    """Open a step on a stored conversation."""
    conversation = items.read(Conversation, item)
    assert conversation is not None
    return open_scene(world, conversation, item.version)


def _again(scene: Scene, message: Message, seen: Seen) -> None:
    """Meet a message that had its effect: repeat the sends of its turn, never the run."""
    log_reason(scene.world, message, Reason.DUPLICATE, turn=seen.turn)
    turn = scene.conversation.turn
    if turn is None or turn.id != seen.turn:
        return
    scene.plan.hints.append(FlushOutbox(destination=items.destination_of(turn.destination)))
    if scene.conversation.state is State.RUNNING and turn.reply is not ReplyMode.LOG:
        scene.plan.hints.append(follow(scene))
    scene.plan.commit()
    if scene.conversation.state is State.STARTING and turn.tries == 0:
        proceed(scene, first=False)
