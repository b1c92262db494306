"""The gates before a message has its effect: codes, strangers, too many, somebody else's thread."""

from dataclasses import replace
from typing import Final

from threadline.app import admission, items
from threadline.app.place import accept
from threadline.app.scene import Scene
from threadline.app.speak import destination_of, in_words, notice
from threadline.app.telling import tell
from threadline.app.world import World
from threadline.core.choice import Choice
from threadline.core.command import connect_code
from threadline.core.envelope import Arrived
from threadline.core.message import Message
from threadline.core.ports import Expect, Put
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import Admitted, Claim, Fate, Waiting

RATE_WINDOW: Final = 60.0


def let_in(scene: Scene, waiting: Waiting, choice: Choice) -> bool:
    """Redeem a code sent in a private chat; tell whether the message was one."""
    message = waiting.message
    code = connect_code(message.text) if message.private else ""
    if not code or not choice.binding.allow.admitted:
        return False
    admitted = Admitted(
        message.platform, message.app, message.sender.id, message.sender.name, scene.now
    )
    changes = admission.redeem(scene.world.store, code, admitted)
    told = scene.conversation.why == Reason.CODE_INVALID and not message.awaited
    if not changes and told:
        log_reason(scene.world, message, Reason.CODE_INVALID)
        return True
    scene.conversation = replace(
        scene.conversation, why=str(Reason.ADMITTED if changes else Reason.CODE_INVALID)
    )
    scene.plan.change(*changes)
    reason = Reason.ADMITTED if changes else Reason.CODE_INVALID
    accept(scene, waiting, reason=reason, fate=Fate.DONE)
    scene.journal(reason, deliveries=(message.delivery,))
    text = "welcome" if changes else "code_invalid"
    notice(
        scene, destination_of(message), in_words(message, choice.binding.reply), text,
        delivery=message.delivery,
    )  # fmt: skip
    scene.commit()
    return True


def refuse(scene: Scene, mail: Arrived, choice: Choice, reason: str) -> None:
    """Leave a stranger's message without a run; who waits is told, others once in private."""
    message = mail.message
    told = scene.conversation.why == Reason.NOT_ALLOWED
    if reason == Reason.NOT_ALLOWED and message.private and not (told or message.awaited):
        scene.conversation = replace(scene.conversation, why=str(Reason.NOT_ALLOWED))
        scene.journal(reason, deliveries=(message.delivery,))
        notice(
            scene, destination_of(message), choice.binding.reply, "not_allowed",
            delivery=message.delivery,
        )  # fmt: skip
        scene.commit()
        return
    log_reason(scene.world, message, reason, binding=choice.binding.name)
    tell(scene.world, mail, reason)


def capped(scene: Scene, waiting: Waiting, choice: Choice) -> bool:
    """Hold a binding to its rate a minute, with one notice."""
    rate = choice.binding.rate
    if rate <= 0:
        return False
    recent = tuple(at for at in scene.conversation.recent if at > scene.now - RATE_WINDOW)
    capped = len(recent) >= rate
    message = waiting.message
    told = scene.conversation.capped_told and capped and not message.awaited
    scene.conversation = replace(
        scene.conversation, recent=recent if capped else (*recent, scene.now), capped_told=capped
    )
    if not capped:
        return False
    accept(scene, waiting, reason=Reason.RATE_CAPPED, fate=Fate.DONE)
    scene.journal(Reason.RATE_CAPPED, deliveries=(message.delivery,))
    if not told:
        to, mode = destination_of(message), in_words(message, choice.binding.reply)
        notice(scene, to, mode, "rate_capped", delivery=message.delivery)
    scene.commit()
    return True


def owned_elsewhere(scene: Scene, waiting: Waiting, choice: Choice, claim: Claim | None) -> bool:
    """Claim a prescribed thread for its first owner; another owner's message is refused."""
    if not choice.thread:
        return False
    if claim is None:
        mine = Claim(choice.thread, waiting.owner, scene.key)
        scene.plan.change(Put(items.claim_item(mine), Expect.ABSENT))
        return False
    if claim.owner == waiting.owner:
        return False
    message = waiting.message
    accept(scene, waiting, reason=Reason.THREAD_OWNED_ELSEWHERE, fate=Fate.DONE)
    scene.journal(Reason.THREAD_OWNED_ELSEWHERE, deliveries=(message.delivery,))
    notice(
        scene, destination_of(message), choice.binding.reply, "thread_owned_elsewhere",
        delivery=message.delivery, stage=Stage.FAILED,
    )  # fmt: skip
    scene.commit()
    return True


def log_reason(world: World, message: Message, reason: str, **more: str) -> None:
    """Write the line that says why a message led to no run."""
    world.log(
        "step", step=str(reason), delivery=message.delivery, message=message.id,
        mailbox=message.mailbox, **more,
    )  # fmt: skip
