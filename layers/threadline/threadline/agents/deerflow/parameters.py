"""What a run is told beside the message: which agent, how far, and the keys a Gateway honours."""

import re
from dataclasses import dataclass
from typing import Final

from threadline.agents.deerflow.caller import Caller, safe
from threadline.agents.shapes import string
from threadline.core.agent import RunRequest
from threadline.core.command import CommandName
from threadline.core.errors import AgentRejected
from threadline.core.json import Json, JsonObject

LEAD_AGENT: Final = "lead_agent"
"""The only graph there is; every other assistant is this one under an agent's name."""
RECURSION_LIMIT: Final = 100

_USUAL: Final = {"thinking_enabled": True, "is_plan_mode": False, "subagent_enabled": False}
HONOURED: Final = frozenset(
    {
        "agent_name",
        "disable_clarification",
        "github_token",
        "is_bootstrap",
        "is_plan_mode",
        "max_concurrent_subagents",
        "max_total_subagents",
        "mode",
        "model_name",
        "reasoning_effort",
        "subagent_enabled",
        "thinking_enabled",
    }
)
_OF_TRUSTED_CALLERS: Final = frozenset({"channel_user_id", "non_interactive"})
_AGENT_NAME: Final = re.compile(r"[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The config and context of a run, complete and allowed."""

    config: JsonObject
    context: JsonObject


def parameters(request: RunRequest, caller: Caller) -> Parameters:
    """Lay what is configured over the usual; who it is for always wins. Raises AgentRejected."""
    free = request.config.get("configurable", {})
    if not isinstance(free, dict):
        raise AgentRejected("config.configurable wants keys and values")
    config = {name: value for name, value in request.config.items() if name != "configurable"}
    return Parameters(
        {"recursion_limit": RECURSION_LIMIT, **config}, _context(request, free, caller)
    )


def _context(request: RunRequest, free: JsonObject, caller: Caller) -> JsonObject:
    wanted: dict[str, Json] = {**_USUAL, **free, **request.context}
    context = {name: value for name, value in wanted.items() if name in HONOURED}
    name = _agent_name(context.pop("agent_name", None), request.assistant)
    if name:
        context["agent_name"] = name
    if request.order is not None and request.order.name is CommandName.BOOTSTRAP:
        context["is_bootstrap"] = True
    if caller.personal:
        return context
    trusted = {name: value for name, value in wanted.items() if name in _OF_TRUSTED_CALLERS}
    return {**context, **trusted, "user_id": safe(caller.owner)}


def _agent_name(configured: Json, assistant: str) -> str:
    """Name the agent as the Gateway spells it, "" for the lead agent itself.

    A name it does not take leads to a run that fails with a path of the server's in its error.
    """
    if configured is None and assistant.strip() in {"", LEAD_AGENT}:
        return ""
    name = string(assistant if configured is None else configured).strip()
    if not name:
        raise AgentRejected("agent_name is empty")
    spelt = name.lower().replace("_", "-")
    if not _AGENT_NAME.fullmatch(spelt):
        raise AgentRejected(f"{name[:80]!r} names no agent: letters, digits and hyphens do")
    return spelt
