"""The scenarios and schedules on AWS's backends, where calls are tried again below the ports."""

from dataclasses import replace

from tests.faults.gates import AT_LENGTH, KINDS
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.faults.schedules import Schedules
from tests.simulation.aws import AwsSimulation
from tests.simulation.world import Simulation

ON_AWS: tuple[Scenario, ...] = tuple(
    replace(one, make=AwsSimulation) for one in SCENARIOS if one.make is Simulation
)
"""All but those that want another agent: what they add to the calls is the agent's."""
KINDS_ON_AWS = (*AT_LENGTH, *KINDS)


class SchedulesOnAws(Schedules):
    """The same schedules in an account of AWS's."""

    make = AwsSimulation
    kinds = tuple(sorted(KINDS_ON_AWS))
