"""A command in its turn: what it changes at the agent before its run, or its answer without one."""

from dataclasses import replace

from threadline.app import waits
from threadline.app.agents import Contact
from threadline.app.scene import Scene
from threadline.app.speak import markdown
from threadline.core.agent import Obeys, RunRequest
from threadline.core.errors import NotOffered
from threadline.core.reasons import Reason
from threadline.core.settings import ReplyMode
from threadline.core.texts import say
from threadline.core.turn import Move


def obeyed(scene: Scene, to: Contact, request: RunRequest) -> RunRequest | None:
    """Let the agent do what a command wants; None where it was answered and the turn is over.

    Raises AgentError. A repeat does no harm: the agent is told the same again.
    """
    if request.order is None:
        return request
    name = str(request.order.name)
    try:
        said = _said(scene, to, request, name)
    except NotOffered:
        said = say("not_offered", scene.settings.language, command=name)
    if not said:
        return replace(request, new_thread=False)
    _answer(scene, name, said)
    return None


def _said(scene: Scene, to: Contact, request: RunRequest, name: str) -> str:
    if not isinstance(to.codec, Obeys):
        raise NotOffered(name)
    return scene.world.calls.run(to.under_policy(to.codec.obey(request, to.access)))


def _answer(scene: Scene, name: str, said: str) -> None:
    turn = scene.turn
    if turn.reply is not ReplyMode.LOG:
        markdown(
            scene, turn.destination, said, delivery=turn.deliveries[-1], over=turn.queued_part
        )  # fmt: skip
    scene.journal(Reason.COMMAND, name)
    waits.drop(scene, turn.waits)
    scene.move(Move.RUN_ENDED)
