"""The turns of any agent, once more with a Gateway of DeerFlow's: nothing above knows of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.pipeline.turns import (
    test_agent_down,
    test_answers,
    test_busy,
    test_commands,
    test_counts,
    test_deaths,
)
from tests.simulation.deerflow import GatewaySimulation

SAME: Final = (test_agent_down, test_answers, test_busy, test_commands, test_counts, test_deaths)
DIFFERENT: Final = {
    "test_what_the_agent_does_not_offer_is_said": "a Gateway answers these commands",
    "test_an_unanswered_question_expires": "to a Gateway an answer is a message like any other",
}

globals().update(
    {
        name: test
        for module in SAME
        for name, test in vars(module).items()
        if name.startswith("test_") and name not in DIFFERENT
    }
)


@pytest.fixture
def simulate(tmp_path: Path) -> Iterator[Callable[..., GatewaySimulation]]:
    """Give a maker of simulations with a Gateway; no thread ever changes hands."""
    made: list[GatewaySimulation] = []

    def make(**how: Any) -> GatewaySimulation:
        made.append(GatewaySimulation(tmp_path / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()
        assert one.gateway.takeovers == []


def test_what_differs_is_there() -> None:
    """Every exception names a test that exists, so that none outlives it."""
    known = {name for module in SAME for name in vars(module)}
    assert set(DIFFERENT) <= known
