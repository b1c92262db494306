"""The turns of any agent, once more with a Gateway of DeerFlow's: nothing above knows of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.pipeline.turns import (
    test_agent_down,
    test_answer_bounds,
    test_answers,
    test_busy,
    test_claims,
    test_commands,
    test_counts,
    test_dead_letters,
    test_deaths,
    test_edit_bursts,
    test_edits_within_rates,
    test_large_messages,
    test_operator,
    test_outages,
    test_rates_and_codes,
    test_seen_before,
    test_stop_and_new,
    test_stuck_turns,
    test_sweep_reach,
    test_time_of_functions,
    test_what_rests,
    test_withdrawn,
)
from tests.simulation.deerflow import GatewaySimulation

SAME: Final = (
    test_agent_down, test_answer_bounds, test_answers, test_busy, test_claims, test_commands,
    test_counts, test_dead_letters, test_deaths, test_edit_bursts, test_edits_within_rates,
    test_large_messages, test_operator, test_outages, test_rates_and_codes, test_seen_before,
    test_stop_and_new, test_stuck_turns, test_sweep_reach, test_time_of_functions, test_what_rests,
    test_withdrawn,
)  # fmt: skip
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


def test_no_test_hides_another() -> None:
    """No two of the files have tests of one name, of which only one would be played."""
    names = [name for module in SAME for name in vars(module) if name.startswith("test_")]
    assert sorted(set(names)) == sorted(names)
