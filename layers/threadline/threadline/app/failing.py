"""When the agent does not take a turn: try again, say so, or give up and keep it for redrive."""

from dataclasses import replace

from threadline.app import items, waits
from threadline.app.agents import brief
from threadline.app.dead import group_of
from threadline.app.place import digest
from threadline.app.plan import write_mail
from threadline.app.scene import Scene
from threadline.app.speak import notice
from threadline.core import keys
from threadline.core.envelope import Arrived
from threadline.core.ports import Expect, Outgoing, Put
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Seen, Waiting
from threadline.core.turn import TELL_AFTER, Move


def later(scene: Scene, wait: float, why: str) -> None:
    """Keep the turn and look again after `wait` seconds; tell the person once after a while."""
    turn = scene.turn
    scene.due_in(wait)
    scene.timer()
    scene.conversation = replace(scene.conversation, why=str(Reason.AGENT_DOWN))
    if turn.tries == 1:
        scene.journal(Reason.AGENT_DOWN, brief(why))
    if not turn.told and scene.now - turn.first_try_at >= TELL_AFTER:
        notice(
            scene, turn.destination, turn.reply, "agent_down",
            delivery=turn.deliveries[-1], stage=Stage.QUEUED,
        )  # fmt: skip
        scene.conversation = replace(scene.conversation, turn=replace(turn, told=True))


def rejected(scene: Scene, why: str) -> None:
    """The agent will never take this turn: say so and keep the message for redrive."""
    give_up(scene, Reason.AGENT_REJECTED, "agent_rejected", why)


def give_up(scene: Scene, reason: Reason, text: str, why: str) -> None:
    """End the turn without a run; its messages become dead letters that can be put back."""
    turn = scene.turn
    batch = [one for _, one in waits.load(scene.world, scene.key, turn.waits)]
    bury(scene, batch, reason)
    notice(
        scene, turn.destination, turn.reply, text,
        delivery=turn.deliveries[-1] if turn.deliveries else "", stage=Stage.FAILED,
        over="" if turn.run else turn.queued_part,
    )  # fmt: skip
    scene.journal(reason, brief(why))
    waits.drop(scene, turn.waits)
    scene.move(Move.GAVE_UP)
    scene.conversation = replace(scene.conversation, why=str(reason))


def bury(scene: Scene, batch: list[Waiting], reason: Reason) -> None:
    """Mark messages dead and put them into the dead-letter queue, which may hold one twice."""
    letters = []
    for waiting in batch:
        row = Seen(
            identity=waiting.identity, delivery=waiting.message.delivery,
            conversation=scene.key, turn=waiting.turn, fate=Fate.DEAD, reason=str(reason),
            digest=digest(waiting.message), sender=waiting.message.sender.id,
        )  # fmt: skip
        scene.plan.change(Put(items.seen_item(row, scene.now), Expect.ANY))
        mail = Arrived(message=waiting.message, accepted_at=waiting.accepted_at, redriven=True)
        letters.append(
            Outgoing(
                write_mail(scene.world, mail),
                group=group_of(waiting.turn),
                dedup=keys.queue_id(f"{waiting.turn}{scene.now}"),
            )
        )
    if letters:
        scene.world.queues.dead.send(letters)
