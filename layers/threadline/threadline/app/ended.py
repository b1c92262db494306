"""After a run: idle or asking, then the next of the backlog. After a download: start."""

from dataclasses import replace

from threadline.app.place import answer_waiting, begin_next
from threadline.app.scene import Scene
from threadline.app.start import proceed
from threadline.core.envelope import FilesReady, RunEnded
from threadline.core.reasons import Reason
from threadline.core.records import Question
from threadline.core.turn import Move, State


def run_ended(scene: Scene, mail: RunEnded) -> None:
    """Take a followed run's end; a turn that is not current changes nothing."""
    if not is_current(scene, mail.turn) or scene.conversation.state is not State.RUNNING:
        scene.world.log(
            "step", step=str(Reason.NOT_CURRENT), turn=mail.turn, conversation=scene.key
        )
        return
    if mail.asked and not scene.turn.stopped:
        _asked(scene, mail)
    else:
        finish(scene, mail.outcome)


def _asked(scene: Scene, mail: RunEnded) -> None:
    """Let the agent's question wait for its answer, which may have come already."""
    turn = scene.turn
    question = Question(
        turn=turn.id, owner=turn.owner, sender=turn.sender, asked_at=mail.asked_at,
        thread=turn.thread, options=mail.options,
    )  # fmt: skip
    scene.journal(Reason.ASKED)
    scene.move(Move.RUN_ASKED)
    scene.conversation = replace(scene.conversation, question=question)
    starts = answer_waiting(scene)
    scene.commit()
    if starts:
        proceed(scene)


def finish(scene: Scene, outcome: str) -> None:
    """End the current turn, then go on with the backlog."""
    scene.journal(Reason.RUN_ENDED, outcome)
    turn = scene.turn
    scene.world.log(
        "turn", turn=turn.id, conversation=scene.key, outcome=outcome,
        seconds=round(scene.now - turn.accepted_at, 3),
    )  # fmt: skip
    scene.move(Move.RUN_ENDED)
    scene.conversation = replace(scene.conversation, why=outcome)
    go_on(scene)


def go_on(scene: Scene) -> None:
    """Begin the next turn of the backlog in the same write that ends the last one."""
    starts = begin_next(scene)
    scene.commit()
    if starts:
        proceed(scene)


def files_ready(scene: Scene, mail: FilesReady) -> None:
    """Start a turn whose files are stored."""
    if not is_current(scene, mail.turn) or scene.conversation.state is not State.FETCHING:
        return
    scene.conversation = replace(scene.conversation, turn=replace(scene.turn, files=mail.files))
    scene.move(Move.FILES_READY)
    scene.journal(Reason.STARTING, f"{len(mail.files)} files")
    scene.commit()
    proceed(scene)


def is_current(scene: Scene, turn: str) -> bool:
    """Tell whether this is the conversation's current turn."""
    current = scene.conversation.turn
    return current is not None and current.id == turn
