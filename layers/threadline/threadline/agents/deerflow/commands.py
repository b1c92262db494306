"""What the Gateway itself answers: its models, what it remembers, a thread's goal."""

from typing import Final

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.shapes import items, mapping, string
from threadline.core.errors import AgentBusy, NotOffered, ThreadMissing
from threadline.core.http import Flow, ask
from threadline.core.ids import ThreadId
from threadline.core.json import Json

OFFERED: Final = frozenset({"models", "memory", "goal"})
LONGEST_GOAL: Final = 4000

_CLEARS: Final = frozenset({"clear", "reset", "off"})
_NO_GOAL: Final = "No goal is set here."


def command(name: str, argument: str, thread: ThreadId, caller: Caller) -> Flow[str]:
    """Answer in Markdown. Raises NotOffered, of `/models` and `/memory` for a personal token."""
    match name:
        case "goal":
            return (yield from _goal(" ".join(argument.split()), thread, caller))
        case "models" if not caller.personal:
            return (yield from _models(caller))
        case "memory" if not caller.personal:
            return (yield from _memory(caller))
        case _:
            raise NotOffered(f"the Gateway does not let us ask for /{name}")


def _models(caller: Caller) -> Flow[str]:
    call = requests.list_models(caller)
    models = items(mapping(content(call.label, (yield from ask(call)))).get("models"))
    names = [name for name in map(_model, models) if name]
    return "\n".join(["Models:", "", *(f"- {name}" for name in names)]) if names else "No models."


def _model(model: Json) -> str:
    fields = mapping(model)
    name, shown = string(fields.get("name")), string(fields.get("display_name"))
    return f"{shown} (`{name}`)" if shown and name and shown != name else shown or name


def _memory(caller: Caller) -> Flow[str]:
    """Count what is remembered; what it is stays between the agent and its owner."""
    call = requests.read_memory(caller)
    facts = len(items(mapping(content(call.label, (yield from ask(call)))).get("facts")))
    return f"{facts} fact{'' if facts == 1 else 's'} remembered."


def _goal(objective: str, thread: ThreadId, caller: Caller) -> Flow[str]:
    if objective.lower() in _CLEARS:
        return (yield from _clear_goal(thread, caller))
    if not objective:
        return (yield from _read_goal(thread, caller))
    if not thread:
        return "A goal belongs to a conversation: send a first message, then set it."
    if len(objective) > LONGEST_GOAL:
        return f"A goal has at most {LONGEST_GOAL} characters."
    call = requests.goal("PUT", thread, caller, objective)
    answer = yield from ask(call)
    try:
        return _shown(content(call.label, answer))
    except AgentBusy:
        return _busy()


def _read_goal(thread: ThreadId, caller: Caller) -> Flow[str]:
    if not thread:
        return _NO_GOAL
    call = requests.goal("GET", thread, caller)
    answer = yield from ask(call)
    try:
        return _shown(content(call.label, answer))
    except ThreadMissing:
        return _NO_GOAL


def _clear_goal(thread: ThreadId, caller: Caller) -> Flow[str]:
    if thread:
        call = requests.goal("DELETE", thread, caller)
        answer = yield from ask(call)
        try:
            content(call.label, answer)
        except ThreadMissing:
            pass
        except AgentBusy:
            return _busy()
    return "The goal is cleared."


def _shown(answer: Json) -> str:
    objective = string(mapping(mapping(answer).get("goal")).get("objective"))
    return f"Goal: {objective}" if objective else _NO_GOAL


def _busy() -> str:
    """The Gateway takes no goal during a run."""
    return "A run is going on here; change the goal when it is over."
