"""Ask the agent for a run, exactly once per turn as far as an agent lets one tell."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from threadline.app import agents, prompt, waits
from threadline.app.agents import Contact
from threadline.app.failing import give_up, later, rejected
from threadline.app.obeying import obeyed
from threadline.app.orders import order_of
from threadline.app.place import begin_next
from threadline.app.scene import Scene
from threadline.app.speak import notice
from threadline.app.stopping import find
from threadline.core.agent import RunRequest, RunStatus
from threadline.core.envelope import FollowRun
from threadline.core.errors import (
    AgentBusy,
    AgentError,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.ids import RunId
from threadline.core.posting import Stage
from threadline.core.reasons import Reason
from threadline.core.records import Conversation, Turn, Waiting
from threadline.core.settings import ReplyMode
from threadline.core.turn import TELL_AFTER, Move, State, retry_delay

BUSY_AGAIN_AFTER: Final = (0.5, 1.0, 2.0)
UNSURE_FOR: Final = 15.0
BUDGET: Final = 10.0
"""Seconds after which a dispatch leaves further tries to a timer."""


def start(scene: Scene, *, first: bool) -> bool:
    """Create the turn's run, or adopt it; tell whether the turn ended without one instead.

    `first`: no create call can have been made for this turn yet. Commits unless it ended.
    """
    before = scene.conversation
    try:
        to = agents.contact(scene.world, scene.settings, scene.turn.agent)
        if first or not _adopted(scene, to):
            _create(scene, to)
    except (AgentUnavailable, AgentUnknown) as error:
        _again(scene, error)
    except (AgentRejected, ThreadMissing) as error:
        rejected(scene, str(error))
    if scene.conversation.turn is None:
        return True
    if scene.conversation != before or scene.plan.changes:
        scene.commit()
    return False


def proceed(scene: Scene, *, first: bool = True) -> None:
    """Start the current turn; where it ends without a run, go on with the backlog."""
    while start(scene, first=first):
        begin_next(scene)
        scene.commit()
        first = True
        if scene.conversation.state is not State.STARTING:
            return


def created(scene: Scene, run: RunId, step: Reason) -> None:
    """Move to running and hand the run to a follower."""
    agent = scene.agent()
    scene.conversation = replace(
        scene.conversation,
        thread_known=True,
        turn=replace(
            scene.turn, run=run, new_thread=False,
            limit_at=scene.now + (agent.time_limit if agent else 0.0),
        ),
    )  # fmt: skip
    waits.drop(scene, scene.turn.waits)
    unwatched = scene.turn.reply is ReplyMode.LOG
    scene.move(Move.RUN_CREATED, due_in=UNSURE_FOR if unwatched else None)
    scene.journal(step, f"run {run}")
    if not unwatched:
        scene.plan.hints.append(follow(scene))


def follow(scene: Scene) -> FollowRun:
    """Make the hint that lets a follower take the current run."""
    return FollowRun(
        conversation=scene.key, mailbox=scene.conversation.mailbox, turn=scene.turn,
        topic=scene.conversation.topic, observed=scene.turn.observed,
    )  # fmt: skip


def origin_of(conversation: Conversation) -> Mapping[str, str]:
    """Say where a thread comes from, as the agent keeps it with the thread."""
    return {
        "provider": conversation.platform, "chat_id": conversation.chat, "app": conversation.app,
        "topic_id": conversation.topic,
    }  # fmt: skip


def _adopted(scene: Scene, to: Contact) -> bool:
    """Look for a run that an earlier try may have made; a twin of it is cancelled."""
    found = find(scene, to)
    if not found.ours:
        return False
    run, _ = found.ours[-1]
    for twin, status in found.ours[:-1]:
        scene.journal(Reason.TWIN_CANCELLED, f"run {twin}")
        if not status.over:
            flow = to.codec.cancel(scene.turn.thread, twin, scene.turn.owner, to.access)
            scene.world.calls.run(to.under_policy(flow))
    created(scene, run, Reason.RUN_ADOPTED)
    return True


def _create(scene: Scene, to: Contact) -> None:
    if not scene.batch:
        loaded = waits.load(scene.world, scene.key, scene.turn.waits)
        scene.batch = tuple(one for _, one in loaded)
    if not scene.batch:
        raise AgentRejected("the message of this turn is gone")
    request = _request(scene, to, scene.batch)
    for wait in (*BUSY_AGAIN_AFTER, None):
        try:
            run = _call(scene, to, request)
        except AgentBusy:
            if _adopted_or_blocked(scene, to):
                return
            if wait is None or scene.world.clock.now() - scene.opened_at > BUDGET:
                _again(scene, AgentUnavailable("the thread stays busy"))
                return
            scene.world.clock.sleep(wait)
            continue
        if run is None:
            return
        if scene.turn.reply is ReplyMode.LOG:
            _leave_unwatched(scene, run)
        else:
            created(scene, run, Reason.RUN_CREATED)
        return


def _call(scene: Scene, to: Contact, request: RunRequest) -> RunId | None:
    """Create the run; a thread the agent lost is made anew once and the person told.

    A refused callback is done without: it is a hint, and the run's end is seen anyway. None where
    the message was a command that was answered.
    """
    try:
        return _started(scene, to, request)
    except ThreadMissing:
        if request.new_thread:
            raise
        notice(scene, scene.turn.destination, scene.turn.reply, "thread_vanished")
        scene.journal(Reason.THREAD_VANISHED)
        again = replace(request, new_thread=True)
    except AgentRejected as error:
        if not request.webhook:
            raise
        scene.world.log("callback", agent=to.settings.name, refused=agents.brief(str(error)))
        again = replace(request, webhook="")
    return _started(scene, to, again)


def _started(scene: Scene, to: Contact, request: RunRequest) -> RunId | None:
    wanted = obeyed(scene, to, request)
    if wanted is None:
        return None
    return scene.world.calls.run(to.under_policy(to.codec.start(wanted, to.access)))


def _leave_unwatched(scene: Scene, run: RunId) -> None:
    """Spare the write: the turn stays due, and whoever wakes it finds the run by its turn id."""
    scene.world.log("step", step=str(Reason.RUN_CREATED), turn=scene.turn.id, run=run)


def _adopted_or_blocked(scene: Scene, to: Contact) -> bool:
    """After a 409: adopt our own run, or wait for a foreign one without ever joining it."""
    found = find(scene, to)
    if found.ours and any(not status.over for _, status in found.ours):
        return _adopted(scene, to)
    if found.foreign_active is None:
        return False
    scene.conversation = replace(
        scene.conversation, turn=replace(scene.turn, foreign=found.foreign_active)
    )
    scene.move(Move.FOREIGN_RUN, due_in=retry_delay(1))
    scene.timer()
    scene.journal(Reason.BLOCKED, f"run {found.foreign_active}")
    return True


def unblocked(scene: Scene) -> bool:
    """Poll the foreign run; tell whether it is over, so that the turn may start.

    A turn that waits for as long as an outage may last is given up like one.
    """
    turn = scene.turn
    try:
        to = agents.contact(scene.world, scene.settings, turn.agent)
        flow = to.codec.status(turn.thread, turn.foreign, turn.owner, to.access)
        status = scene.world.calls.run(to.under_policy(flow))
    except AgentError:
        status = RunStatus.RUNNING
    if status.over:
        scene.move(Move.FOREIGN_ENDED)
        return True
    since, tries = turn.first_try_at or scene.now, turn.tries + 1
    agent = scene.agent()
    if agent is None or scene.now - since >= agent.give_up:
        give_up(scene, Reason.GAVE_UP, "gave_up", "the thread stays busy")
        return False
    if not turn.told and scene.now - since >= TELL_AFTER:
        notice(scene, turn.destination, turn.reply, "waits_elsewhere", stage=Stage.QUEUED)
        turn = replace(turn, told=True)
    scene.conversation = replace(
        scene.conversation, turn=replace(turn, tries=tries, first_try_at=since)
    )
    scene.move(Move.FOREIGN_RUN, due_in=retry_delay(tries))
    scene.timer()
    return False


def _again(scene: Scene, error: AgentError) -> None:
    """Keep the turn starting: certain refusals soon, a lost answer after the create timeout."""
    unsure = isinstance(error, AgentUnknown)
    tries = scene.turn.tries + 1
    since = scene.turn.first_try_at or scene.now
    agent = scene.agent()
    turn = replace(scene.turn, tries=tries, first_try_at=since, lost=scene.turn.lost or unsure)
    scene.conversation = replace(scene.conversation, turn=turn)
    if scene.now - since >= (agent.give_up if agent else 0.0):
        give_up(scene, Reason.GAVE_UP, "gave_up", str(error))
        return
    later(scene, UNSURE_FOR if unsure else retry_delay(tries), str(error))


def _names_speakers(turn: Turn) -> bool:
    """Tell whether the agent reads who wrote; whom it asked it knows, and the answer stays bare."""
    return turn.reply is ReplyMode.CHAT and not turn.answers


def _request(scene: Scene, to: Contact, batch: tuple[Waiting, ...]) -> RunRequest:
    turn, message = scene.turn, batch[-1].message
    binding = scene.binding()
    if binding is None:
        raise AgentRejected(f"binding {turn.binding} is no longer configured")
    session = agents.session(binding, message.sender)
    public = scene.settings.public_url.rstrip("/")
    return RunRequest(
        thread=turn.thread, turn=turn.id, owner=turn.owner,
        prompt=prompt.build(
            scene.world, batch, turn.files, names=_names_speakers(turn),
            language=scene.settings.language, image_limit=to.settings.image_limit,
        ),
        assistant=agents.assistant(scene.world, to, session.assistant),
        new_thread=turn.new_thread,
        origin=origin_of(scene.conversation),
        labels={"conversation": scene.key, "mailbox": scene.conversation.mailbox},
        config=session.config,
        context=agents.identity(
            session.context, user_id=turn.owner, channel_user_id=message.sender.id,
            channel_name=message.platform,
        ),
        answers=turn.answers, order=order_of(scene.world, message),
        webhook=(
            f"{public}/agents/{to.settings.name}/ended"
            if public and to.settings.webhook and to.codec.traits.callbacks
            else ""
        ),
    )  # fmt: skip
