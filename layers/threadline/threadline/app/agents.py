"""Talking to the agent of a turn: its codec, its address, its key, its assistant."""

import re
from dataclasses import dataclass
from typing import Final

from threadline.app.world import World
from threadline.core.agent import Agent, AgentAccess
from threadline.core.errors import AgentRejected
from threadline.core.http import Flow
from threadline.core.json import Json, JsonObject
from threadline.core.message import Sender
from threadline.core.policy import Policy, guarded
from threadline.core.settings import AgentSettings, Binding, Session, Settings

OURS: Final = ("no agent named", "agent ", "binding ", "the message", "the thread", "too many")
"""How errors of our own making begin: they hold nobody else's words."""


@dataclass(frozen=True, slots=True)
class Contact:
    """An agent ready to be called."""

    settings: AgentSettings
    codec: Agent
    access: AgentAccess

    @property
    def policy(self) -> Policy:
        """The policy of every call to this agent: its own address and nothing else."""
        return Policy(base_urls=(self.settings.url,), secrets=tuple(self.access.secrets.values()))

    def under_policy[T](self, flow: Flow[T]) -> Flow[T]:
        """Put a flow of the agent under its policy."""
        return guarded(flow, self.policy)


def contact(world: World, settings: Settings, name: str) -> Contact:
    """Find an agent by name. Raises AgentRejected where the configuration has none such."""
    agent = settings.agents.get(name)
    codec = world.agent(agent.dialect) if agent else None
    if agent is None or codec is None:
        raise AgentRejected(f"no agent named {name} is configured")
    secrets = world.secrets.get(f"agent/{name}")
    access = AgentAccess(agent.url, secrets, event_streaming=agent.event_streaming)
    return Contact(agent, codec, access)


def assistant(world: World, to: Contact, wanted: str) -> str:
    """Give the assistant to run: the one wanted or configured, else the agent's only one.

    Raises AgentRejected where the agent offers none or several.
    """
    name = wanted or to.settings.assistant or world.assistants.get(to.settings.name, "")
    if name:
        return name
    offered = world.calls.run(to.under_policy(to.codec.assistants(to.access)))
    if len(offered) != 1:
        names = ", ".join(offered) or "none"
        raise AgentRejected(
            f"agent {to.settings.name} offers {names}: "
            f"write one as agents.{to.settings.name}.assistant_id"
        )
    world.assistants[to.settings.name] = offered[0]
    return offered[0]


def session(binding: Binding, sender: Sender) -> Session:
    """Merge the layers of a binding, the sender's own last; later layers win."""
    layers = [*binding.sessions]
    if sender.id in binding.user_sessions:
        layers.append(binding.user_sessions[sender.id])
    name = ""
    config: dict[str, Json] = {}
    context: dict[str, Json] = {}
    for layer in layers:
        name = layer.assistant or name
        config |= layer.config
        context |= layer.context
    return Session(name, config, context)


def identity(context: JsonObject, **ids: str) -> JsonObject:
    """Add who it is for; identity always wins over configured context, empty ids are left out."""
    return {**context, **{name: value for name, value in ids.items() if value}}


def brief(error: str) -> str:
    """Cut an agent's own words off an error: they may quote a message or a key.

    What is left is the call and its status, or the class of what a run raised.
    """
    call = re.match(r"[a-z ]+: (?:\d{3}|[a-z_]+)\b", error)
    if call:
        return call[0]
    return error if error.startswith(OURS) else re.split(r"[:(\s]", error, maxsplit=1)[0][:60]
