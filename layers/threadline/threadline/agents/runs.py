"""Runs as every dialect writes them: an id, a status in one word, and what they were made for."""

from collections.abc import Sequence
from typing import Final

from threadline.agents.shapes import mapping, string
from threadline.core.agent import Found, RunStatus
from threadline.core.errors import AgentUnknown
from threadline.core.ids import RunId, TurnId
from threadline.core.json import Json

TURN: Final = "turn_id"
"""Where a run's metadata names the turn it was created for."""


def found(runs: Sequence[Json], turn: TurnId) -> Found:
    """Tell the runs of a turn from a foreign active one. Raises AgentUnknown."""
    ours: list[tuple[RunId, RunStatus]] = []
    foreign: RunId | None = None
    for run in runs:
        id_, status = run_id(run), read_status(run)
        if string(mapping(mapping(run).get("metadata")).get(TURN)) == turn:
            ours.append((id_, status))
        elif foreign is None and not status.over:
            foreign = id_
    return Found(tuple(ours), foreign)


def run_id(run: Json) -> RunId:
    """Give a run's id. Raises AgentUnknown."""
    if id_ := string(mapping(run).get("run_id")):
        return RunId(id_)
    raise AgentUnknown("a run without id")


def read_status(run: Json) -> RunStatus:
    """Read a run's status. Raises AgentUnknown for a word we do not know."""
    word = string(mapping(run).get("status"))
    try:
        return RunStatus(word)
    except ValueError:
        raise AgentUnknown(f"a run of unknown status {word[:40]!r}") from None
