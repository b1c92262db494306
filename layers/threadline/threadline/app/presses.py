"""A pressed button: it answers the question it stands under, or nothing; it never starts a run."""

from threadline.app.asked import answers, stands_under
from threadline.app.place import accept, keep, place
from threadline.app.scene import Scene
from threadline.app.speak import whisper
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Waiting
from threadline.core.settings import Binding
from threadline.core.turn import State


def arrive(scene: Scene, waiting: Waiting, binding: Binding) -> bool:
    """Take a press as the answer, or say why it is none; tell whether an agent call is next.

    One that comes before we know that its run is over waits for that.
    """
    if answers(scene, waiting) and scene.conversation.state is State.ASKING:
        return place(scene, waiting, binding)
    asking = _asking(scene)
    if not asking or not stands_under(scene, waiting.message, asking):
        _refuse(scene, waiting, binding, Reason.PRESS_LATE)
    elif _is_somebody_elses(scene, waiting):
        _refuse(scene, waiting, binding, Reason.PRESS_NOT_YOURS)
    elif not keep(scene, waiting):
        _refuse(scene, waiting, binding, Reason.BACKLOG_FULL)
    return False


def _asking(scene: Scene) -> str:
    """Name the turn that asked, or may have and has not told yet; "" where none did."""
    conversation = scene.conversation
    if conversation.question is not None:
        return conversation.question.turn
    running = conversation.state is State.RUNNING and conversation.turn is not None
    return scene.turn.id if running else ""


def _is_somebody_elses(scene: Scene, waiting: Waiting) -> bool:
    asked = scene.conversation.question or scene.turn
    return (asked.owner, asked.sender) != (waiting.owner, waiting.message.sender.id)


def _refuse(scene: Scene, waiting: Waiting, binding: Binding, reason: Reason) -> None:
    message = waiting.message
    accept(scene, waiting, reason=reason, fate=Fate.DONE)
    scene.journal(reason, deliveries=(message.delivery,))
    whisper(scene, message, binding.reply, str(reason), count=binding.backlog)
