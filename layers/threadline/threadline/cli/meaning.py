"""What a compiled configuration means, in words: agents, who answers where, who may talk."""

from collections.abc import Collection, Iterator

from threadline.app.configure.surroundings import Compiled
from threadline.cli.state import DEMO
from threadline.core.settings import AgentSettings, Allow, Binding
from threadline.local.report import Place, table


def lines(compiled: Compiled) -> Iterator[str]:
    """Tell it, a line each."""
    settings = compiled.settings
    yield "agents:"
    for agent in settings.agents.values():
        yield f"  {_agent(agent)}"
    yield "bindings:"
    for binding in settings.bindings:
        yield f"  {binding.name}: {_place(binding, settings.bindings)}: agent {binding.agent}"
        yield f"    may talk: {who(binding.allow)}"
        yield f"    {_manner(binding)}"
    yield "platforms:"
    yield table(compiled.platforms, Place("", settings.public_url))


def who(allow: Allow) -> str:
    """Say who may talk."""
    if allow.everyone:
        return "everybody"
    parts = [
        "members" if allow.members else "",
        "whoever was let in by a code" if allow.admitted else "",
        _listed("", allow.senders),
        _listed("everybody in ", allow.chats),
        _listed("bots ", allow.bots),
    ]
    return ", ".join(part for part in parts if part) or "nobody"


def _listed(what: str, ids: Collection[str]) -> str:
    shown = sorted(ids)[:5]
    more = f" and {len(ids) - len(shown)} more" if len(ids) > len(shown) else ""
    return f"{what}{', '.join(shown)}{more}" if ids else ""


def _agent(agent: AgentSettings) -> str:
    where = "the demo agent of `make run`" if agent.url == DEMO else agent.url
    assistant = f"assistant {agent.assistant}" if agent.assistant else "its only assistant"
    return f"{agent.name}: {where}, {assistant}"


def _place(binding: Binding, every: Collection[Binding]) -> str:
    app = (binding.platform, binding.app)
    shared = any((one.platform, one.app) == app and one.chats for one in every)
    rest = "every other chat" if shared else "every chat"
    return f"{'/'.join(app)}, {_listed('', binding.chats) or rest}"


def _manner(binding: Binding) -> str:
    parts = [f"busy: {binding.busy}", f"reply: {binding.reply}", f"backlog: {binding.backlog}"]
    if binding.rate:
        parts.append(f"at most {binding.rate} messages a minute")
    if binding.mention_name:
        parts.append(f"to mention: @{binding.mention_name}")
    elif binding.mention:
        parts.append("in groups when mentioned")
    for trigger in binding.triggers:
        actions = "" if trigger.actions is None else f" ({', '.join(sorted(trigger.actions))})"
        parts.append(f"on {trigger.event}{actions}")
    return ", ".join(parts)
