"""Threads and their runs as an operator is shown them, the same in every dialect."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from threadline.agents.messages import is_hidden, kind_of, parts_of
from threadline.agents.runs import TURN, read_status, run_id
from threadline.agents.shapes import items, mapping, string
from threadline.core.ids import ThreadId
from threadline.core.json import Json, JsonObject
from threadline.core.thread import RunSeen, Said, ThreadSeen

SOURCE = "channel_source"


def runs_seen(listed: Sequence[Json]) -> tuple[RunSeen, ...]:
    """Read a list of runs in the order it has. Raises AgentUnknown."""
    return tuple(
        RunSeen(
            run_id(run),
            read_status(run),
            string(mapping(mapping(run).get("metadata")).get(TURN)),
            _instant(string(mapping(run).get("created_at"))),
        )
        for run in listed
    )


def thread_seen(state: JsonObject, question: str) -> ThreadSeen:
    """Read a thread's state; `question` is what the dialect found that it asks."""
    following = (string(node) for node in items(state.get("next")))
    return ThreadSeen(
        tuple(_said(message) for message in messages_of(state)),
        tuple(node for node in following if node),
        question,
    )


def origin(of: Mapping[str, str]) -> JsonObject:
    """Write where a thread comes from, as its metadata keep it under `channel_source`."""
    return {"type": "im_channel", **{name: value for name, value in of.items() if value}}


def from_origin(listed: Sequence[Json], wanted: Mapping[str, str]) -> tuple[ThreadId, ...]:
    """Give the threads of a list that come from there; a search may give others besides."""
    source = origin(wanted)
    ids = [
        string(mapping(one).get("thread_id"))
        for one in listed
        if mapping(mapping(mapping(one).get("metadata")).get(SOURCE)) == source
    ]
    return tuple(ThreadId(one) for one in ids if one)


def messages_of(state: JsonObject) -> Sequence[Json]:
    """Give the messages of a thread's state, oldest first."""
    return items(mapping(state.get("values")).get("messages"))


def interrupts_of(state: JsonObject) -> Sequence[Json]:
    """Give what a thread's state waits with; older servers name it on the tasks only."""
    own = items(state.get("interrupts"))
    tasks = (mapping(task) for task in items(state.get("tasks")))
    return own or [one for task in tasks for one in items(task.get("interrupts"))]


def _said(message: Json) -> Said:
    text, tools = parts_of(message)
    return Said(kind_of(message) or "unknown", text, tools, is_hidden(message))


def _instant(text: str) -> float:
    """Read a moment as epoch seconds, 0 where it is none; one without a zone is UTC's."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
