"""The runs of a thread: found again, looked at, stopped."""

from dataclasses import dataclass

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.runs import found, read_status
from threadline.agents.shapes import mapping, string
from threadline.core.agent import Found, RunStatus
from threadline.core.errors import AgentBusy, AgentUnavailable, AgentUnknown, ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId, ThreadId, TurnId


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands, and why it stopped where the server says so."""

    status: RunStatus
    reason: str = ""


def find(thread: ThreadId, turn: TurnId, caller: Caller) -> Flow[Found]:
    """Tell the runs of a turn from a foreign active one; an unknown thread has none."""
    call = requests.list_runs(thread, caller)
    runs = content(call.label, (yield from ask(call)))
    if not isinstance(runs, list):
        raise AgentUnknown(f"{call.label}: the answer is no list")
    return found(runs, turn)


def standing(thread: ThreadId, run: RunId, caller: Caller) -> Flow[Standing]:
    """Read where a run stands; `MISSING` where the Gateway knows no such run or thread."""
    call = requests.read_run(thread, run, caller)
    try:
        told = content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return Standing(RunStatus.MISSING)
    return Standing(read_status(told), string(mapping(told).get("stop_reason")))


def cancel(thread: ThreadId, run: RunId, caller: Caller) -> Flow[None]:
    """Stop a run. 409 says that it ended, or that another worker has it: the status tells which.

    Raises AgentUnavailable where it goes on.
    """
    call = requests.cancel_run(thread, run, caller)
    try:
        content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return
    except AgentBusy as busy:
        now = yield from standing(thread, run, caller)
        if not now.status.over:
            raise AgentUnavailable(str(busy)) from None
