"""Single faults, exhaustively: every call of every scenario, in every way it can go wrong."""

import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tests.faults.checks import violations
from tests.faults.gates import IN_A_ROW, TRIES, FaultGate
from tests.faults.letters import kept_aside, put_back, untold
from tests.faults.scenarios import PATIENCE, Scenario

LONGEST = 6 * 3600.0
LATE_BY_FAULT = 600.0
"""Seconds within which the sweep and the queues bring a turn on, whatever died or got lost."""


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


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A play in which nothing went wrong: its calls in order, and how long it took."""

    points: tuple[str, ...]
    seconds: float


@cache
def undisturbed(scenario: Scenario) -> Undisturbed:
    """Play a scenario without a fault; it must hold the promise."""
    gate = FaultGate(-1, "refused")
    found, seconds = _play(scenario, gate)
    assert not found, f"{scenario.name} breaks the promise undisturbed: {found}"
    return Undisturbed(tuple(gate.points), seconds)


def run(case: Case) -> Outcome:
    """Play a case and check the promise."""
    gate = FaultGate(case.number, case.kind)
    tries = TRIES if case.kind in IN_A_ROW else 1
    found, seconds = _play(case.scenario, gate)
    late = seconds - undisturbed(case.scenario).seconds
    allowed = LATE_BY_FAULT * tries
    if case.kind == "repeated":
        allowed = case.scenario.patience.get(gate.met, PATIENCE)
    if late > allowed:
        found.append(f"late: {late:.0f} s, and {allowed:.0f} s are allowed")
    return Outcome(case, gate.met, tuple(found))


def _play(scenario: Scenario, gate: FaultGate) -> tuple[list[str], float]:
    folder = Path(tempfile.mkdtemp(prefix="faults-", dir=fast_folder()))
    settings = scenario.settings()
    world = scenario.make(folder, settings=settings, gate=gate, twins=scenario.twins)
    try:
        scenario.play(world)
        world.run(LONGEST)
        seconds = world.clock.passed()
        if gate.kind not in IN_A_ROW:
            return violations(world, scenario), seconds
        letters = put_back(world)
        found = list(untold(world, letters, scenario.chats))
        world.run(LONGEST)
        overtaken = bool(letters or kept_aside(world))
        return [*found, *violations(world, scenario, overtaken=overtaken)], seconds
    finally:
        world.close()
        shutil.rmtree(folder)


def fast_folder() -> str | None:
    """Give a folder in memory where there is one: what dies here are processes, not machines."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder itself is made by mkdtemp
    return str(memory) if memory.is_dir() else None
