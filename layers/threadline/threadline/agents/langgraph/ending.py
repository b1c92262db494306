"""How a run ended, from its status and from the thread's state as this run left it."""

from dataclasses import dataclass

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.langgraph.runs import run_before, status
from threadline.agents.messages import id_of
from threadline.agents.questions import Asked, read_interrupts
from threadline.agents.shapes import items, line, mapping, string
from threadline.agents.threads import interrupts_of, messages_of
from threadline.agents.transcript import Transcript, after_turn, since_last_human, up_to_next_human
from threadline.core.agent import AgentAccess, Outcome, RunStatus
from threadline.core.errors import ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId, ThreadId, TurnId
from threadline.core.json import JsonObject

LONGEST_ERROR = 500
_FAILED = frozenset({RunStatus.ERROR, RunStatus.TIMEOUT})
_NOTHING = Transcript(())


@dataclass(frozen=True, slots=True)
class _Left:
    """What a run left: its messages, what it asks, and the error of the step that failed."""

    transcript: Transcript = _NOTHING
    asked: Asked | None = None
    error: str = ""


def outcome(thread: ThreadId, run: RunId, turn: TurnId, access: AgentAccess) -> Flow[Outcome]:
    """Read how a run ended; of one that goes on, only its status."""
    ended = yield from status(thread, run, access)
    if not ended.over or ended is RunStatus.MISSING:
        return Outcome(status=ended)
    try:
        left = yield from _left(thread, run, turn, access)
        error = left.error
        if ended in _FAILED and not error:
            error = yield from _joined_error(thread, run, access)
    except ThreadMissing:
        return Outcome(status=RunStatus.MISSING)
    return _outcome(ended, left, error)


def _outcome(ended: RunStatus, left: _Left, error: str) -> Outcome:
    transcript, asked = left.transcript, left.asked
    failure = transcript.failure()
    if failure and ended is RunStatus.SUCCESS:
        ended, error = RunStatus.ERROR, failure
    elif asked and ended is RunStatus.INTERRUPTED:
        ended = RunStatus.SUCCESS  # here INTERRUPTED means cancelled, and this run waits
    return Outcome(
        status=ended,
        text=transcript.text(),
        question=asked.question if asked and ended is RunStatus.SUCCESS else "",
        options=asked.options if asked and ended is RunStatus.SUCCESS else (),
        artifacts=transcript.artifacts(),
        error=line(error, LONGEST_ERROR) if ended in _FAILED else "",
    )


def _left(thread: ThreadId, run: RunId, turn: TurnId, access: AgentAccess) -> Flow[_Left]:
    """A run without checkpoints did nothing, or its server does not name runs in them."""
    checkpoint = yield from _checkpoint(thread, run, access)
    if checkpoint is None:
        return (yield from _left_in_state(thread, turn, access))
    messages = messages_of(checkpoint)
    transcript = after_turn(messages, turn)
    if transcript is None:  # a run that answered a question, or one whose graph renames messages
        known = yield from _known_before(thread, run, access)
        transcript = since_last_human(messages).beyond(known)
    return _Left(transcript, asked_in(checkpoint), _task_error(checkpoint))


def _left_in_state(thread: ThreadId, turn: TurnId, access: AgentAccess) -> Flow[_Left]:
    call = requests.read_state(thread, access)
    state = mapping(content(call.label, (yield from ask(call))))
    following = after_turn(messages_of(state), turn)
    if following is None:
        return _Left()
    ours = up_to_next_human(following)
    if ours is not following:  # the state's questions and errors are a later turn's
        return _Left(ours)
    return _Left(ours, asked_in(state), _task_error(state))


def _known_before(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[frozenset[str]]:
    before = yield from run_before(thread, run, access)
    checkpoint = (yield from _checkpoint(thread, before, access)) if before else None
    return frozenset(id_of(message) for message in messages_of(checkpoint or {}))


def _checkpoint(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[JsonObject | None]:
    call = requests.last_checkpoint(thread, run, access)
    history = items(content(call.label, (yield from ask(call))))
    return mapping(history[0]) if history else None


def _joined_error(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[str]:
    call = requests.read_error(thread, run, access)
    joined = mapping(content(call.label, (yield from ask(call))))
    told = mapping(joined.get("__error__"))
    return ": ".join(filter(None, (string(told.get("error")), string(told.get("message")))))


def asked_in(state: JsonObject) -> Asked | None:
    """Read what a thread's state waits with."""
    return read_interrupts(interrupts_of(state))


def _task_error(state: JsonObject) -> str:
    errors = (string(mapping(task).get("error")) for task in items(state.get("tasks")))
    return next((error for error in errors if error), "")
