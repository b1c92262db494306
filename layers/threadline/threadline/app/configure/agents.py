"""Agents: those of the file and those the surroundings bring."""

from collections.abc import Iterable, Mapping

from threadline.app.configure.shapes import AgentShape, FileShape, LimitsShape
from threadline.app.configure.surroundings import Surroundings
from threadline.core.ids import AgentName
from threadline.core.settings import AgentSettings

GIVEN = "default"
DEMO = "demo"


def names(declared: Iterable[str], around: Surroundings) -> tuple[str, ...]:
    """List every agent there will be, those of the file first."""
    known = dict.fromkeys(declared)
    if around.agent_url:
        known[GIVEN] = None
    if not known and around.demo_url:
        known[DEMO] = None
    return tuple(known)


def fallback(known: Iterable[str]) -> str:
    """Choose the agent of bindings that name none: `default`, else the only one, else ""."""
    agents = tuple(known)
    if GIVEN in agents:
        return GIVEN
    return agents[0] if len(agents) == 1 else ""


def build(file: FileShape, around: Surroundings) -> Mapping[str, AgentSettings]:
    """Build the settings of every agent."""
    urls = {GIVEN: around.agent_url.rstrip("/"), DEMO: around.demo_url.rstrip("/")}
    agents = {}
    for name in names(file.agents, around):
        shape = file.agents.get(name)
        if shape is None:
            shape = AgentShape(url=urls[name])
        elif name == GIVEN and around.agent_url:
            shape = shape.model_copy(update={"url": urls[name]})
        agents[name] = _agent(name, shape, file.limits)
    return agents


def _agent(name: str, shape: AgentShape, limits: LimitsShape) -> AgentSettings:
    return AgentSettings(
        name=AgentName(name),
        dialect=shape.dialect,
        url=shape.url,
        assistant=shape.assistant_id,
        webhook=shape.webhook,
        event_streaming=shape.event_streaming,
        time_limit=_first(shape.time_limit, limits.time_limit),
        give_up=_first(shape.give_up, limits.give_up),
        image_limit=_first(shape.image_limit, limits.image_limit),
    )


def _first[T](written: T | None, default: T) -> T:
    return default if written is None else written
