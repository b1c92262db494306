"""A thread as an operator is shown it."""

from collections.abc import Mapping

from threadline.agents.answers import content
from threadline.agents.langgraph import requests
from threadline.agents.langgraph.ending import asked_in
from threadline.agents.shapes import items, mapping
from threadline.agents.threads import from_origin, runs_seen, thread_seen
from threadline.core.agent import AgentAccess
from threadline.core.errors import ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import ThreadId
from threadline.core.thread import RunSeen, ThreadSeen

MOST_PAGES = 50


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


def threads_of(origin: Mapping[str, str], access: AgentAccess) -> Flow[tuple[ThreadId, ...]]:
    """Find threads by where they come from, page by page."""
    found: tuple[ThreadId, ...] = ()
    for page in range(MOST_PAGES):
        call = requests.search_threads(origin, access, page * requests.MOST_THREADS)
        listed = items(content(call.label, (yield from ask(call))))
        found += from_origin(listed, origin)
        if len(listed) < requests.MOST_THREADS:
            break
    return found


def delete(thread: ThreadId, access: AgentAccess) -> Flow[bool]:
    """Delete a thread; False where there is none."""
    call = requests.delete_thread(thread, access)
    try:
        content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return False
    return True
