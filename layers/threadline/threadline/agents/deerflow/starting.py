"""Starting a run, at most once as far as the Gateway's answers let us know."""

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.clarification import pending
from threadline.agents.deerflow.making import check_id, create_thread
from threadline.agents.deerflow.parameters import parameters
from threadline.agents.shapes import mapping, string
from threadline.agents.threads import messages_of
from threadline.core.agent import RunRequest
from threadline.core.errors import AgentError, AgentUnknown
from threadline.core.http import Flow, ask
from threadline.core.ids import RunId
from threadline.core.json import JsonObject


def start(request: RunRequest, caller: Caller) -> Flow[RunId]:
    """Create the thread where it is new, then the run; of an answer, see first what it picks."""
    given = parameters(request, caller)
    check_id(request.thread)
    choice = None
    if request.new_thread:
        yield from create_thread(request, caller)
    elif request.answers:
        choice = yield from _choice(request, caller)
    call = requests.create_run(request, given, choice, caller)
    created = content(call.label, (yield from ask(call)))
    run = string(mapping(created).get("run_id"))
    if not run:
        raise AgentUnknown(f"{call.label}: the answer names no run")
    return RunId(run)


def _choice(request: RunRequest, caller: Caller) -> Flow[JsonObject | None]:
    """Find which option of the waiting question is picked; without it the text still answers."""
    call = requests.read_state(request.thread, caller, timeout=requests.FIRST_TIMEOUT)
    answer = yield from ask(call)
    try:
        asked = pending(messages_of(mapping(content(call.label, answer))))
    except AgentError:
        return None
    return asked.answered(request.prompt.text) if asked else None
