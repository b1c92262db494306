"""The only writer of conversations: one mail of a mailbox after the other."""

from dataclasses import dataclass, replace
from typing import Final

from threadline.app import codec, items
from threadline.app.arrive import arrive, scene_of
from threadline.app.codec import Unreadable
from threadline.app.dead import group_of
from threadline.app.ended import files_ready, run_ended
from threadline.app.forgotten import forget
from threadline.app.plan import Plan, mailbox_of, read_mail
from threadline.app.scene import Scene, open_scene
from threadline.app.untaken import mark_dead
from threadline.app.wake import wake
from threadline.app.world import World
from threadline.core.envelope import Arrived, FilesReady, Forget, Mail, RunEnded, Wake
from threadline.core.errors import Conflict, StoreError
from threadline.core.ids import ConversationKey
from threadline.core.ports import Check, Expect, Outgoing
from threadline.core.reasons import Reason
from threadline.core.records import JournalRow

VISIBILITY: Final = 60.0
LAST_TRY: Final = 5
POISON_AFTER: Final = 2
DEAD_AFTER: Final = 0.8 * VISIBILITY
MOST_UNENDED: Final = 4
AGAIN_AFTER: Final = (1.0, 2.0, 5.0, 15.0)
CONFLICTS: Final = 4
MOST_UNNOTED: Final = 1000


@dataclass(frozen=True, slots=True)
class Received:
    """A mailbox message as it was received for the `tries`-th time."""

    id: str
    body: str
    tries: int


def handle(world: World, received: Received) -> None:
    """Give one mail its effect. Raises StoreError where the queue shall deliver it again."""
    try:
        mail = read_mail(world.blobs, received.body)
    except Unreadable as error:
        _set_aside(world, received, str(error))
        return
    _log_mail(world, received, mail)
    _note_late(world, received, mail)
    if received.tries > 1 and _is_poison(world, received, mail):
        give_up(world, received, Reason.POISON)
        return
    for attempt in range(CONFLICTS):
        try:
            _effect(world, mail, fresh=attempt > 0)
        except Conflict:
            if attempt == CONFLICTS - 1:
                raise
        else:
            break
    if received.tries > 1:
        _journal_try(world, received, mail, "handled")


def give_up(world: World, received: Received, reason: Reason) -> None:
    """Keep a mail that cannot be handled as a dead letter, with its reason, and tell the sender.

    A message that had its effect is none: its turn is due, and the sweep goes on with it.
    """
    try:
        mail = read_mail(world.blobs, received.body)
    except Unreadable as error:
        _set_aside(world, received, str(error))
        return
    plan = Plan(world, world.clock.now())
    if isinstance(mail, Arrived) and not mark_dead(world, plan, mail, reason):
        _journal_try(world, received, mail, "its effect stands")
        return
    plan.journal(_delivery(mail, received), reason, detail=f"after {received.tries} tries")
    _to_dead_letters(world, received)
    plan.commit()
    world.log(
        "dead_letter", reason=str(reason), delivery=_delivery(mail, received),
        mailbox=mailbox_of(mail),
    )  # fmt: skip


def _effect(world: World, mail: Mail, *, fresh: bool) -> None:
    match mail:
        case Arrived():
            arrive(world, mail)
        case RunEnded():
            scene = _scene(world, mail.conversation)
            if scene is not None:
                run_ended(scene, mail)
        case FilesReady():
            scene = _scene(world, mail.conversation)
            if scene is not None:
                files_ready(scene, mail)
        case Wake():
            scene = None if fresh else _from_snapshot(world, mail)
            scene = scene or _scene(world, mail.conversation)
            if scene is not None:
                wake(scene, mail.why)
        case Forget():
            scene = _scene(world, mail.conversation)
            if scene is not None:
                forget(scene, mail)


def _scene(world: World, key: ConversationKey) -> Scene | None:
    item = world.store.get([items.conversation(key)])[0]
    return None if item is None else scene_of(world, item)


def _from_snapshot(world: World, mail: Wake) -> Scene | None:
    """Use the copy the sweep saw; a write fenced by its version tells whether it is current.

    Where the conversation was forgotten meanwhile, another of its key may have that version.
    """
    if mail.snapshot is None:
        return None
    scene = open_scene(world, mail.snapshot, mail.version)
    mark = items.forgotten(scene.settings.namespace, mail.conversation)
    scene.guards = (Check(mark, Expect.ABSENT),)
    return scene


def _is_poison(world: World, received: Received, mail: Mail) -> bool:
    """Tell whether an earlier try ended its process; otherwise journal that this one begins.

    A try that was never begun (a throttle, a neighbour's failure) does not count, nor one that
    failed in an outage in which nothing could be written: it comes again sooner than a dead one.
    Where a dead process is back as soon, it takes more deaths to tell.
    """
    rows = _tries(world, received)
    begun = [row.at for row in rows if row.detail == "begun"]
    ended = len(rows) - len(begun)
    unended = len(begun) - ended
    late = unended > 0 and world.clock.now() - begun[-1] >= DEAD_AFTER
    died = late or unended >= MOST_UNENDED
    if received.tries > POISON_AFTER and died:
        return True
    _journal_try(world, received, mail, "begun")
    return False


def failed(world: World, received: Received, error: str) -> float:
    """Note that a try failed in a known way and give the seconds until the next.

    What cannot be noted comes again as soon, and so before it would count as a death; where it
    comes late after all, this process still knows.
    """
    try:
        mail = read_mail(world.blobs, received.body)
        _journal_try(world, received, mail, f"failed: {error}"[:200])
    except Unreadable:
        return AGAIN_AFTER[-1]
    except StoreError as outage:
        world.log("mail", state="not noted", reason=type(outage).__name__)
        if len(world.unnoted) >= MOST_UNNOTED:
            world.unnoted.pop(next(iter(world.unnoted)), None)
        world.unnoted[received.id] = (received.tries, error)
    return AGAIN_AFTER[min(received.tries, len(AGAIN_AFTER)) - 1]


def _note_late(world: World, received: Received, mail: Mail) -> None:
    """Note a failure that could not be noted when it happened."""
    if (noted := world.unnoted.get(received.id)) is not None:
        tries, error = noted
        _journal_try(world, replace(received, tries=tries), mail, f"failed: {error}"[:200])
        world.unnoted.pop(received.id, None)


def _tries(world: World, received: Received) -> tuple[JournalRow, ...]:
    partition = items.journal_partition(f"try-{received.id}")
    stored = world.store.query("deliveries", partition, "journal#", limit=50)
    return tuple(codec.record(JournalRow, item.attributes) for item in stored)


def _journal_try(world: World, received: Received, mail: Mail, detail: str) -> None:
    plan = Plan(world, world.clock.now())
    plan.journal(f"try-{received.id}", f"try {received.tries}", detail=detail)
    plan.journal(_delivery(mail, received), f"try {received.tries}", detail=detail)
    plan.commit()


def _log_mail(world: World, received: Received, mail: Mail) -> None:
    fields: dict[str, str | float] = {
        "kind": mail.kind, "delivery": _delivery(mail, received), "mailbox": mailbox_of(mail),
    }  # fmt: skip
    if isinstance(mail, Arrived):
        fields["waited"] = round(world.clock.now() - mail.accepted_at, 3)
    if received.tries > 1:
        fields["again"] = 1
    world.log("mail", **fields)


def _delivery(mail: Mail, received: Received) -> str:
    return mail.message.delivery if isinstance(mail, Arrived) else f"mail-{received.id}"


def _to_dead_letters(world: World, received: Received) -> None:
    world.queues.dead.send(
        [Outgoing(received.body, group=group_of(received.id), dedup=received.id[:128])]
    )


def _set_aside(world: World, received: Received, why: str) -> None:
    world.log("step", step=str(Reason.UNREADABLE), detail=why, mail=received.id)
    _to_dead_letters(world, received)
