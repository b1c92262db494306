"""Look at a conversation because something is due, or because somebody says so."""

from dataclasses import replace
from typing import Final

from threadline.app import agents, edits, items, lease, waits
from threadline.app.ended import finish, go_on
from threadline.app.failing import give_up
from threadline.app.place import begin_next
from threadline.app.scene import Scene
from threadline.app.speak import notice
from threadline.app.start import created, follow, proceed, unblocked
from threadline.app.stopping import cancel, find
from threadline.core.agent import RunStatus, StoredFile
from threadline.core.envelope import FollowRun
from threadline.core.errors import AgentError
from threadline.core.http import BlobRef
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import RunRecord
from threadline.core.settings import ReplyMode
from threadline.core.turn import DUE_AFTER, UNWATCHED_LONGEST, Move, State

MOST_HOPS: Final = 2000
STUCK_AFTER: Final = 600.0
"""Seconds past its time limit after which a turn is ended whoever follows it."""
UNTAKEN_AGAIN_AFTER: Final = 90.0
"""Seconds between hints at a run that nobody had room to follow yet."""

BUDGET: Final = "budget"
"""The `why` of a Wake for a turn that its dispatch had no time to start."""
ENDED: Final = "ended"
"""The `why` of a Wake that an agent's callback asked for."""


def wake(scene: Scene, why: str) -> None:
    """Do what is due; a wake that comes early or twice changes nothing."""
    if not _is_due(scene, why):
        return
    hops = scene.conversation.hops + 1
    scene.conversation = replace(scene.conversation, hops=hops)
    if hops > MOST_HOPS and scene.conversation.state is not State.IDLE:
        give_up(scene, Reason.GAVE_UP, "gave_up", "too many steps")
        go_on(scene)
        return
    if _edit_is_due(scene):
        starts = edits.release(scene)
        scene.commit()
        if starts:
            proceed(scene)
        return
    _by_state(scene)


def _is_due(scene: Scene, why: str) -> bool:
    conversation = scene.conversation
    if scene.due_at is not None and scene.due_at <= scene.now:
        return True
    if _edit_is_due(scene) or (conversation.state is State.IDLE and conversation.waiting > 0):
        return True
    fresh = conversation.turn is not None and conversation.turn.tries == 0
    if why == BUDGET and fresh and conversation.state is State.STARTING:
        return True
    unwatched = conversation.turn is not None and conversation.turn.reply is ReplyMode.LOG
    if unwatched and conversation.state in {State.RUNNING, State.STARTING}:
        return why in {ENDED, "backlog"}
    return False


def _edit_is_due(scene: Scene) -> bool:
    return scene.conversation.held > 0 and scene.conversation.held_due <= scene.now


def _by_state(scene: Scene) -> None:
    match scene.conversation.state:
        case State.IDLE:
            starts = begin_next(scene)
            scene.commit()
            if starts:
                proceed(scene)
        case State.FETCHING:
            _fetch_again(scene)
        case State.STARTING:
            _restart(scene)
        case State.BLOCKED:
            if unblocked(scene):
                _restart(scene)
            elif scene.conversation.turn is None:
                go_on(scene)
            else:
                scene.commit()
        case State.RUNNING:
            _look_at_run(scene)
        case State.ASKING:
            turn = scene.turn
            scene.journal(Reason.QUESTION_EXPIRED)
            notice(scene, turn.destination, turn.reply, "question_expired")
            scene.move(Move.EXPIRED)
            go_on(scene)


def _restart(scene: Scene) -> None:
    """Try again, looking first for a run that an earlier try may have made."""
    if scene.turn.reply is not ReplyMode.LOG or not _found_unwatched(scene):
        proceed(scene, first=False)


def _found_unwatched(scene: Scene) -> bool:
    """Take up the run of a turn that nobody follows; tell whether there is one."""
    try:
        to = agents.contact(scene.world, scene.settings, scene.turn.agent)
        found = find(scene, to)
    except AgentError:
        return False
    if not found.ours:
        return False
    run, status = found.ours[-1]
    if status.over:
        waits.drop(scene, scene.turn.waits)
        scene.conversation = replace(scene.conversation, thread_known=True)
        scene.journal(Reason.RUN_ADOPTED, f"run {run}")
        finish(scene, str(status))
        return True
    created(scene, run, Reason.RUN_ADOPTED)
    _look_again(scene)
    return True


def _look_at_run(scene: Scene) -> None:
    """Hint a follower again, or look ourselves where nobody follows."""
    turn = scene.turn
    if turn.reply is not ReplyMode.LOG:
        _look_at_follower(scene)
        return
    status = _status(scene)
    if status is not None and status.over:
        waits.drop(scene, turn.waits)
        finish(scene, str(status))
        return
    if scene.now >= turn.limit_at:
        _cancel_over_limit(scene)
        return
    _look_again(scene)


def _look_again(scene: Scene) -> None:
    """Look at an unwatched run again, the later the longer it goes on; soon while others wait."""
    age = max(scene.now - scene.turn.accepted_at, 15.0)
    scene.due_in(min(age, 15.0 if scene.conversation.waiting else UNWATCHED_LONGEST))
    if scene.conversation.waiting:
        scene.timer()
    scene.commit()


def _look_at_follower(scene: Scene) -> None:
    """Hint again where nobody follows: the follower's item is absent, or stood still since.

    One that may be dead is looked at again as soon as its lease has stood still for its length.
    """
    turn = scene.turn
    if scene.agent() is None or scene.now > turn.limit_at + STUCK_AFTER:
        _give_up_run(scene)
        return
    item = scene.world.store.get([items.run(scene.key, turn.id)])[0]
    record, version = items.read(RunRecord, item), item.version if item else 0
    stood_still = version == turn.observed
    scene.conversation = replace(scene.conversation, turn=replace(turn, observed=version))
    scene.due_in(DUE_AFTER[State.RUNNING] if record else UNTAKEN_AGAIN_AFTER)
    if stood_still or record is None or not record.holder or record.ended:
        scene.plan.hints.append(follow(scene))
    elif lease.is_silent(record, scene.now):
        scene.due_in(lease.LENGTH)
        scene.timer()
    scene.commit()


def _give_up_run(scene: Scene) -> None:
    """End a turn whose follower never will: its agent is gone, or its time is long over."""
    turn = scene.turn
    cancel(scene)
    scene.journal(Reason.RUN_VANISHED, "nobody follows it any more")
    notice(scene, turn.destination, turn.reply, "run_vanished", stage=Stage.FAILED)
    finish(scene, str(Reason.RUN_VANISHED))


def _status(scene: Scene) -> RunStatus | None:
    """Read the run's status; None where the agent cannot be asked just now."""
    turn = scene.turn
    try:
        to = agents.contact(scene.world, scene.settings, turn.agent)
        flow = to.codec.status(turn.thread, turn.run, turn.owner, to.access)
        return scene.world.calls.run(to.under_policy(flow))
    except AgentError:
        return None


def _cancel_over_limit(scene: Scene) -> None:
    turn = scene.turn
    try:
        to = agents.contact(scene.world, scene.settings, turn.agent)
        flow = to.codec.cancel(turn.thread, turn.run, turn.owner, to.access)
        scene.world.calls.run(to.under_policy(flow))
    except AgentError as error:
        scene.journal(Reason.AGENT_DOWN, agents.brief(str(error)))
    scene.journal(Reason.TIME_LIMIT)
    notice(scene, turn.destination, turn.reply, "time_limit")
    waits.drop(scene, turn.waits)
    finish(scene, str(Reason.TIME_LIMIT))


def _fetch_again(scene: Scene) -> None:
    """Hint the download once more; after a second time start without the files, saying why."""
    turn = scene.turn
    batch = waits.load(scene.world, scene.key, turn.waits)
    files = tuple(file for _, one in batch for file in one.message.files)
    if turn.tries == 0:
        scene.conversation = replace(scene.conversation, turn=replace(turn, tries=1))
        scene.due_in(DUE_AFTER[State.FETCHING])
        scene.plan.hints.append(
            FollowRun(
                conversation=scene.key, mailbox=scene.conversation.mailbox, turn=turn,
                files=files, job="fetch",
                turns=tuple(one.turn for _, one in batch for _ in one.message.files),
            )
        )  # fmt: skip
        scene.commit()
        return
    failed = tuple(
        StoredFile(file.name, file.mime, BlobRef("", 0), problem="timeout") for file in files
    )
    scene.conversation = replace(
        scene.conversation, turn=replace(turn, files=failed, tries=0)
    )  # fmt: skip
    scene.move(Move.FILES_READY)
    scene.commit()
    proceed(scene)
