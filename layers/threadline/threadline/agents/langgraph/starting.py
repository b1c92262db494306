"""Starting a run, at most once as far as the agent's answers let us know."""

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.shapes import mapping, string
from threadline.core.agent import AgentAccess, RunRequest
from threadline.core.errors import (
    AgentBusy,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId


def start(request: RunRequest, access: AgentAccess) -> Flow[RunId]:
    """Create the thread where it is new, then the run."""
    if request.new_thread:
        yield from _create_thread(request, access)
    call = requests.create_run(request, access)
    answer = yield from ask(call)
    try:
        created = content(call.label, answer)
    except ThreadMissing as missing:
        if request.new_thread:  # the thread is there, so it is the assistant that is not
            raise AgentRejected(str(missing)) from None
        raise
    run = string(mapping(created).get("run_id"))
    if not run:
        raise AgentUnknown(f"{call.label}: the answer names no run")
    return RunId(run)


def _create_thread(request: RunRequest, access: AgentAccess) -> Flow[None]:
    """Whatever becomes of this call, it creates no run."""
    call = requests.create_thread(request, access)
    answer = yield from ask(call)
    try:
        content(call.label, answer)
    except AgentBusy:
        return  # 409: an agent that does not know `if_exists` has the thread already
    except AgentUnknown as unknown:
        raise AgentUnavailable(str(unknown)) from None
    except ThreadMissing as missing:
        raise AgentRejected(str(missing)) from None
