"""The runs of a thread: found again, looked at, stopped."""

from typing import Final

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.runs import found, read_status, run_id
from threadline.agents.shapes import items
from threadline.core.agent import AgentAccess, Found, RunStatus
from threadline.core.errors import AgentBusy, ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId, ThreadId, TurnId

MOST_PAGES: Final = 5


def find(thread: ThreadId, turn: TurnId, access: AgentAccess) -> Flow[Found]:
    """Tell the runs of a turn from a foreign active one."""
    call = requests.list_runs(thread, access)
    return found(items(content(call.label, (yield from ask(call)))), turn)


def status(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[RunStatus]:
    """Read where a run stands; `MISSING` where the agent knows no such run or thread."""
    call = requests.read_run(thread, run, access)
    try:
        run_now = content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return RunStatus.MISSING
    return read_status(run_now)


def run_before(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[RunId | None]:
    """Find the run that came before this one on its thread, None where it is not near."""
    seen = False
    for page in range(MOST_PAGES):
        call = requests.list_runs(thread, access, page * requests.LIST_LENGTH)
        listed = items(content(call.label, (yield from ask(call))))
        for one in listed:
            if seen:
                return run_id(one)
            seen = run_id(one) == run
        if len(listed) < requests.LIST_LENGTH:
            break
    return None


def cancel(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[None]:
    """Stop a run; 404 and 409 say that there is nothing to stop any more."""
    call = requests.cancel_run(thread, run, access)
    try:
        content(call.label, (yield from ask(call)))
    except (ThreadMissing, AgentBusy):
        return
