"""Each agent: whether it answers, which it is, and whether it offers what is configured."""

import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadline.cli import state
from threadline.core.agent import Met, Probes
from threadline.core.errors import AgentError
from threadline.core.setup import Finding

if TYPE_CHECKING:
    from threadline.app.agents import Contact
    from threadline.app.world import World
    from threadline.core.settings import Settings


def look(world: "World", settings: "Settings") -> Iterator[Finding]:
    """Ask every agent."""
    from threadline.app.agents import contact

    for name, agent in settings.agents.items():
        what, key = f"agent {name}", state.command(f"secrets set agent/{name}")
        try:
            to = contact(world, settings, name)
            offered = world.calls.run(to.under_policy(to.codec.assistants(to.access)))
            met = _met(world, to)
        except AgentError as error:
            yield Finding(what, str(error), f"does {agent.url} answer? A key: {key}")
        else:
            listed = ", ".join(offered) or "no assistant"
            said = "; ".join(filter(None, (f"offers {listed}", met.server)))
            yield Finding(what, said, remedy(to, offered) or met.remedy)


def _met(world: "World", to: "Contact") -> Met:
    """Find out which server it is, where its dialect can tell one from another."""
    if not isinstance(to.codec, Probes):
        return Met("")
    return world.calls.run(to.under_policy(to.codec.probe(to.access)))


def remedy(to: "Contact", offered: tuple[str, ...]) -> str:
    """Say what to write where no run could be created with what is configured."""
    wanted, where = to.settings.assistant, f"agents.{to.settings.name}.assistant_id"
    if not wanted:
        return "" if len(offered) == 1 else f"write one as {where} in threadline.yaml"
    if not to.codec.traits.lists_all or wanted in offered or _is_id(wanted):
        return ""
    return f"{where} is {wanted}, which it does not offer: write one that it does"


def _is_id(wanted: str) -> bool:
    """Tell whether an assistant is named by its id, under which none is listed."""
    try:
        uuid.UUID(wanted)
    except ValueError:
        return False
    return True
