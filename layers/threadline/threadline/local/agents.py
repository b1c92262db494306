"""Looks whether the configured agents answer, and says so once for every change."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from threadline.app.agents import contact
from threadline.app.world import World
from threadline.core.errors import AgentError, StoreError
from threadline.core.settings import AgentSettings

AGAIN_AFTER: Final = (2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
LOOK_EVERY: Final = 5.0
"""Seconds between looks for an agent that is new in the configuration."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Agents:
    """What is known of each agent; `say` prints one line."""

    world: World
    say: Callable[[str], None]
    _answered: dict[str, str] = field(default_factory=dict)
    _silent: dict[str, int] = field(default_factory=dict)

    async def keep_looking(self) -> None:
        """Ask new and silent agents again and again, until cancelled."""
        while True:
            try:
                await self.look()
            except StoreError as trouble:
                log.warning("agents cannot be looked for: %s", trouble)
            silent = max(self._silent.values(), default=0)
            wait = AGAIN_AFTER[min(silent, len(AGAIN_AFTER)) - 1] if silent else LOOK_EVERY
            await self.world.clock.pause(wait)

    async def look(self) -> None:
        """Ask every agent that has not answered at its present address."""
        for name, agent in self.world.settings().agents.items():
            if self._answered.get(name) != agent.url:
                await self._ask(name, agent)

    async def _ask(self, name: str, agent: AgentSettings) -> None:
        try:
            to = contact(self.world, self.world.settings(), name)
            offered = await self.world.calls.arun(to.under_policy(to.codec.assistants(to.access)))
        except AgentError as error:
            self._silent[name] = self._silent.get(name, 0) + 1
            if self._silent[name] == 1:
                self.say(unreachable(agent, str(error)))
            return
        self._silent.pop(name, None)
        self._answered[name] = agent.url
        if len(offered) == 1 and not agent.assistant:
            self.world.assistants[name] = offered[0]
        self.say(answers(agent, offered))


def unreachable(agent: AgentSettings, why: str) -> str:
    """Say that an agent cannot be used, and what becomes of messages."""
    return (
        f"Agent {agent.name} at {agent.url} cannot be used ({why});"
        " messages wait for it, and it is tried again."
    )


def answers(agent: AgentSettings, offered: tuple[str, ...]) -> str:
    """Say which assistant of an agent answers, or what has to be written where it is not clear."""
    names, here = ", ".join(offered), f"Agent {agent.name} at {agent.url}"
    if agent.assistant:
        known = "" if agent.assistant in offered else f", which it does not list: {names or 'none'}"
        return f"{here} answers with assistant {agent.assistant}{known}."
    match offered:
        case (only,):
            return f"{here} answers with its assistant {only}."
        case ():
            return f"{here} answers, but has no assistant."
        case _:
            return (
                f"{here} has several assistants ({names}): write one in threadline.yaml as"
                f" agents.{agent.name}.assistant_id."
            )
