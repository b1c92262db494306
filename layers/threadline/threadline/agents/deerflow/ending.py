"""How a run ended, from its status and from what it left in its thread.

A run's status is always read: on the stream, a model that failed looks like one that answered.
"""

from collections.abc import Sequence
from typing import Final

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.clarification import pending
from threadline.agents.deerflow.runs import Standing, standing
from threadline.agents.messages import id_of, is_human
from threadline.agents.shapes import items, line, mapping, string
from threadline.agents.threads import messages_of
from threadline.agents.transcript import Transcript, up_to_next_human
from threadline.core.agent import Outcome, RunStatus
from threadline.core.errors import AgentError, ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId, ThreadId, TurnId
from threadline.core.json import Json, JsonObject

LONGEST_ERROR: Final = 500
_FAILED: Final = frozenset({RunStatus.ERROR, RunStatus.TIMEOUT})
_LEAD: Final = "lead_agent"
_TELLING: Final = ("error", "message", "content", "detail")


def outcome(thread: ThreadId, run: RunId, turn: TurnId, caller: Caller) -> Flow[Outcome]:
    """Read how a run ended; of one that goes on, only its status."""
    ended = yield from standing(thread, run, caller)
    if not ended.status.over or ended.status is RunStatus.MISSING:
        return Outcome(status=ended.status)
    try:
        transcript = yield from _transcript(thread, run, turn, caller)
    except ThreadMissing:
        return Outcome(status=RunStatus.MISSING)
    error = transcript.failure()
    if ended.status in _FAILED and not error:
        error = yield from _error(thread, run, caller)
    return _outcome(ended, transcript, error)


def _outcome(ended: Standing, transcript: Transcript, error: str) -> Outcome:
    status = ended.status
    if status is RunStatus.SUCCESS and transcript.failure():
        status = RunStatus.ERROR
    asked = pending(transcript.messages) if status is RunStatus.SUCCESS else None
    return Outcome(
        status=status,
        text="" if asked else transcript.text(),
        question=asked.question if asked else "",
        options=tuple(option.label for option in asked.options) if asked else (),
        artifacts=transcript.artifacts(),
        error=line(error or ended.reason, LONGEST_ERROR) if status in _FAILED else "",
    )


def _transcript(thread: ThreadId, run: RunId, turn: TurnId, caller: Caller) -> Flow[Transcript]:
    """Take this run's part of the state; where its message was summed up, the server's log."""
    call = requests.read_state(thread, caller)
    state = mapping(content(call.label, (yield from ask(call))))
    transcript = _of_run(messages_of(state), run, turn)
    if transcript is not None:
        return transcript
    call = requests.read_messages(thread, run, caller)
    logged = mapping(content(call.label, (yield from ask(call))))
    return Transcript([row for one in items(logged.get("data")) for row in _logged(mapping(one))])


def _of_run(messages: Sequence[Json], run: RunId, turn: TurnId) -> Transcript | None:
    """Find the run's own message: it bears the run's id, and the turn's in one of two spellings."""
    marked = [at for at, one in enumerate(messages) if is_human(one) and _run_of(one) == run]
    named = [
        at
        for at, one in enumerate(messages)
        if is_human(one) and id_of(one) in {turn, f"{turn}__user"}
    ]
    for at in [*marked, *named]:
        return up_to_next_human(Transcript(messages[at + 1 :]))
    return None


def _run_of(message: Json) -> str:
    return string(mapping(mapping(message).get("additional_kwargs")).get("run_id"))


def _logged(row: JsonObject) -> Sequence[Json]:
    """Give the message in a row of the log where it is the lead agent's or a tool's."""
    match row.get("event_type"):
        case "llm.ai.response" if mapping(row.get("metadata")).get("caller") == _LEAD:
            return (row.get("content"),)
        case "llm.tool.result":
            return (row.get("content"),)
    return ()


def _error(thread: ThreadId, run: RunId, caller: Caller) -> Flow[str]:
    """Read the error for the operator; the outcome does not wait for it."""
    call = requests.read_errors(thread, run, caller)
    answer = yield from ask(call)
    try:
        rows = items(content(call.label, answer))
    except AgentError:
        return ""
    return next((told for row in reversed(rows) if (told := _told(mapping(row)))), "")


def _told(row: JsonObject) -> str:
    if row.get("event_type") != "run.error":
        return ""
    inner = row.get("content")
    fields = mapping(inner)
    return string(inner) or next(
        (told for key in _TELLING if (told := string(fields.get(key)))), ""
    )
