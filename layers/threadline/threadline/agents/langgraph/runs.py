"""The runs of a thread: found again, looked at, stopped."""

from typing import Final

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.shapes import items, mapping, string
from threadline.core.agent import AgentAccess, Found, RunStatus
from threadline.core.errors import AgentBusy, AgentUnknown, ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId, ThreadId, TurnId
from threadline.core.json import Json

MOST_PAGES: Final = 5


def find(thread: ThreadId, turn: TurnId, access: AgentAccess) -> Flow[Found]:
    """Tell the runs of a turn from a foreign active one."""
    call = requests.list_runs(thread, access)
    runs = items(content(call.label, (yield from ask(call))))
    ours: list[tuple[RunId, RunStatus]] = []
    foreign: RunId | None = None
    for run in runs:
        id_, status = run_id(run), read_status(run)
        if string(mapping(mapping(run).get("metadata")).get("turn_id")) == turn:
            ours.append((id_, status))
        elif foreign is None and not status.over:
            foreign = id_
    return Found(tuple(ours), foreign)


def status(thread: ThreadId, run: RunId, access: AgentAccess) -> Flow[RunStatus]:
    """Read where a run stands; `MISSING` where the agent knows no such run or thread."""
    call = requests.read_run(thread, run, access)
    try:
        found = content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return RunStatus.MISSING
    return read_status(found)


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


def run_id(run: Json) -> RunId:
    """Give a run's id. Raises AgentUnknown."""
    if id_ := string(mapping(run).get("run_id")):
        return RunId(id_)
    raise AgentUnknown("a run without id")


def read_status(run: Json) -> RunStatus:
    """Read a run's status. Raises AgentUnknown for a word we do not know."""
    word = string(mapping(run).get("status"))
    try:
        return RunStatus(word)
    except ValueError:
        raise AgentUnknown(f"a run of unknown status {word[:40]!r}") from None
