"""The faults of any agent, thinner, with a Gateway of DeerFlow's: some calls, in every way."""

import logging
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.faults.gates import KINDS
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.faults.single import Case, run, undisturbed
from tests.simulation.deerflow import GatewaySimulation, NewerSimulation, PersonalSimulation
from tests.simulation.world import Simulation

CALLS = 5
GATEWAYS = (GatewaySimulation, NewerSimulation, PersonalSimulation)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("number", range(len(SCENARIOS)), ids=lambda at: SCENARIOS[at].name)
def test_single_faults_break_nothing(number: int) -> None:
    """Whatever goes wrong with one call of a turn: one run, its answer once, nothing stuck."""
    broken = []
    scenario = SCENARIOS[number]
    if scenario.make is Simulation:
        scenario = replace(scenario, make=GATEWAYS[number % len(GATEWAYS)])
    for case in cases(scenario):
        outcome = run(case)
        if outcome.violations:
            broken.append((str(case), outcome.point, outcome.violations))
    assert broken == []


def cases(scenario: Scenario) -> Iterator[Case]:
    """Take calls at even distances, each in every way it can go wrong."""
    points = undisturbed(scenario).points
    for at in range(CALLS):
        for kind in KINDS:
            yield Case(scenario, (2 * at + 1) * len(points) // (2 * CALLS), kind)
