"""A thread as an operator is shown it."""

from collections.abc import Mapping

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.clarification import pending
from threadline.agents.questions import read_interrupts
from threadline.agents.shapes import items, mapping
from threadline.agents.threads import (
    from_origin,
    interrupts_of,
    messages_of,
    runs_seen,
    thread_seen,
)
from threadline.core.errors import ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import ThreadId
from threadline.core.thread import RunSeen, ThreadSeen

MOST_RUNS = 20
MOST_THREADS = 100
MOST_PAGES = 50


def runs(thread: ThreadId, caller: Caller) -> Flow[tuple[RunSeen, ...]]:
    """List the latest runs of a thread, newest first; an unknown thread has none."""
    call = requests.list_runs(thread, caller)
    listed = items(content(call.label, (yield from ask(call))))
    return runs_seen(listed[:MOST_RUNS])


def seen(thread: ThreadId, caller: Caller) -> Flow[ThreadSeen]:
    """Read what a thread holds now; it asks by its tool, or by an interrupt of its graph."""
    call = requests.read_state(thread, caller)
    state = mapping(content(call.label, (yield from ask(call))))
    asked = pending(messages_of(state)) or read_interrupts(interrupts_of(state))
    return thread_seen(state, asked.question if asked else "")


def threads_of(origin: Mapping[str, str], caller: Caller) -> Flow[tuple[ThreadId, ...]]:
    """Find an owner's threads by where they come from, page by page."""
    found: tuple[ThreadId, ...] = ()
    for page in range(MOST_PAGES):
        call = requests.search_threads(caller, MOST_THREADS, page * MOST_THREADS)
        listed = items(content(call.label, (yield from ask(call))))
        found += from_origin(listed, origin)
        if len(listed) < MOST_THREADS:
            break
    return found


def delete(thread: ThreadId, caller: Caller) -> Flow[bool]:
    """Delete a thread; False where there is none."""
    call = requests.delete_thread(thread, caller)
    try:
        content(call.label, (yield from ask(call)))
    except ThreadMissing:
        return False
    return True
