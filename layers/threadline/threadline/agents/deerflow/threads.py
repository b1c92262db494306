"""A thread as an operator is shown it."""

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.clarification import pending
from threadline.agents.questions import read_interrupts
from threadline.agents.shapes import items, mapping
from threadline.agents.threads import interrupts_of, messages_of, runs_seen, thread_seen
from threadline.core.http import Flow, ask
from threadline.core.ids import ThreadId
from threadline.core.thread import RunSeen, ThreadSeen

MOST_RUNS = 20


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
