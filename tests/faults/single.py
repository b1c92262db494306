"""Single faults, exhaustively: every call of every scenario, in every way it can go wrong."""

import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults.checks import violations
from tests.faults.gates import KINDS, FaultGate
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.simulation.world import Simulation

LONGEST = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class Case:
    """One fault: the call of this number in this scenario goes wrong in this way."""

    scenario: Scenario
    number: int
    kind: str

    def __str__(self) -> str:
        return f"{self.scenario.name}-{self.number}-{self.kind}".replace(" ", "_")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case; `point` is the call that went wrong, "" where it was never reached."""

    case: Case
    point: str
    violations: tuple[str, ...]


def points_of(scenario: Scenario) -> list[str]:
    """Give the calls of an undisturbed play, in order."""
    gate = FaultGate(-1, "refused")
    outcome = _play(scenario, gate)
    assert not outcome, f"{scenario.name} breaks the promise undisturbed: {outcome}"
    return gate.points


def cases() -> Iterator[Case]:
    """Give every single fault there is."""
    for scenario in SCENARIOS:
        for number in range(len(points_of(scenario))):
            for kind in KINDS:
                yield Case(scenario, number, kind)


def run(case: Case) -> Outcome:
    """Play a case and check the promise."""
    gate = FaultGate(case.number, case.kind)
    found = _play(case.scenario, gate)
    return Outcome(case, gate.met, tuple(found))


def _play(scenario: Scenario, gate: FaultGate) -> list[str]:
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir=fast_folder()))
    world = Simulation(folder, settings=scenario.settings(), gate=gate)
    try:
        scenario.play(world)
        world.run(LONGEST)
        return violations(world, scenario)
    finally:
        world.close()
        shutil.rmtree(folder)


def fast_folder() -> str | None:
    """Give a folder in memory where there is one: what dies here are processes, not machines."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder itself is made by mkdtemp
    return str(memory) if memory.is_dir() else None
