"""What the Gateway itself answers, and what changes a thread: its goal, a workspace set up."""

from typing import Final

from threadline.agents.answers import content
from threadline.agents.deerflow import requests
from threadline.agents.deerflow.caller import Caller
from threadline.agents.deerflow.making import check_id, create_thread, without_run
from threadline.agents.shapes import items, mapping, string
from threadline.core.agent import RunRequest
from threadline.core.command import CommandName
from threadline.core.errors import NotOffered, ThreadMissing
from threadline.core.http import Flow, HttpRequest, ask
from threadline.core.json import Json

OFFERED: Final = frozenset({"models", "memory", "goal", "bootstrap"})
LONGEST_GOAL: Final = 4000

_CLEARS: Final = frozenset({"clear", "reset", "off"})


def command(name: str, caller: Caller) -> Flow[str]:
    """Answer in Markdown. Raises NotOffered, of `/models` and `/memory` for a personal token."""
    match name:
        case "models" if not caller.personal:
            return (yield from _models(caller))
        case "memory" if not caller.personal:
            return (yield from _memory(caller))
        case _:
            raise NotOffered(f"the Gateway does not let us ask for /{name}")


def obey(request: RunRequest, caller: Caller) -> Flow[str]:
    """Set a goal, which a run then pursues, or answer what is asked of it; set a workspace up.

    Whatever becomes of these calls, they create no run. Raises NotOffered.
    """
    check_id(request.thread)
    match request.order.name if request.order else None:
        case CommandName.GOAL:
            return (yield from _goal(request, caller))
        case CommandName.BOOTSTRAP:
            return ""
        case other:
            raise NotOffered(f"the Gateway has no /{other}")


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


def _goal(request: RunRequest, caller: Caller) -> Flow[str]:
    """A thread that the Gateway does not have yet has no goal, and is made for one."""
    objective = " ".join(request.order.argument.split()) if request.order else ""
    if objective.lower() in _CLEARS:
        return (yield from _clear_goal(request, caller))
    if not objective:
        return (yield from _read_goal(request, caller))
    if len(objective) > LONGEST_GOAL:
        return f"A goal has at most {LONGEST_GOAL} characters."
    if request.new_thread:
        yield from create_thread(request, caller)
    yield from without_run(requests.goal("PUT", request.thread, caller, objective))
    return ""


def _read_goal(request: RunRequest, caller: Caller) -> Flow[str]:
    call = requests.goal("GET", request.thread, caller)
    return _shown((yield from _unless_new(call, request)))


def _clear_goal(request: RunRequest, caller: Caller) -> Flow[str]:
    yield from _unless_new(requests.goal("DELETE", request.thread, caller), request)
    return "The goal is cleared."


def _unless_new(call: HttpRequest, request: RunRequest) -> Flow[Json]:
    """Ask of a thread, None where the Gateway does not have it."""
    if request.new_thread:
        return None
    try:
        return (yield from without_run(call))
    except ThreadMissing:
        return None


def _shown(answer: Json) -> str:
    objective = string(mapping(mapping(answer).get("goal")).get("objective"))
    return f"Goal: {objective}" if objective else "No goal is set here."
