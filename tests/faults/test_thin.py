"""A thinner cut of `make faults`: some calls of every kind of turn, and some schedules."""

import logging
from collections.abc import Iterator

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.gates import IN_A_ROW, KINDS
from tests.faults.runner import how
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.faults.schedules import Schedules
from tests.faults.single import Case, run, undisturbed

EVERY = 9
SCHEDULES = 120


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_single_faults_break_nothing(scenario: Scenario) -> None:
    """Whatever goes wrong with one call of a turn: one run, its answer once, nothing stuck."""
    numbers = range(len(scenario.name) % EVERY, len(undisturbed(scenario).points), EVERY)
    kinds = (*KINDS, *IN_A_ROW)
    outcomes = [run(Case(scenario, number, kind)) for number in numbers for kind in kinds]
    assert [(str(one.case), one.point, one.violations) for one in outcomes if one.violations] == []


def test_schedules_break_nothing() -> None:
    """Messages, edits, commands and faults in any order: the promise holds."""
    run_state_machine_as_test(Schedules, settings=how(SCHEDULES))
