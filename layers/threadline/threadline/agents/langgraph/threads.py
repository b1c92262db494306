"""A thread as an operator is shown it."""

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.langgraph.ending import asked_in
from threadline.agents.shapes import items, mapping
from threadline.agents.threads import runs_seen, thread_seen
from threadline.core.agent import AgentAccess
from threadline.core.http import Flow, ask
from threadline.core.ids import ThreadId
from threadline.core.thread import RunSeen, ThreadSeen


def runs(thread: ThreadId, access: AgentAccess) -> Flow[tuple[RunSeen, ...]]:
    """List the latest runs of a thread, newest first."""
    call = requests.list_runs(thread, access, fields=requests.SHOWN)
    return runs_seen(items(content(call.label, (yield from ask(call)))))


def seen(thread: ThreadId, access: AgentAccess) -> Flow[ThreadSeen]:
    """Read what a thread holds now."""
    call = requests.read_state(thread, access)
    state = mapping(content(call.label, (yield from ask(call))))
    asked = asked_in(state)
    return thread_seen(state, asked.question if asked else "")
