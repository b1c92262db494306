"""`make faults`: every single fault and thousands of schedules; fails on a violation."""

import argparse
import logging
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import hypothesis.core
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.faults.aws import KINDS_ON_AWS, ON_AWS, SchedulesOnAws
from tests.faults.gates import IN_A_ROW, KINDS
from tests.faults.kills import kill_test
from tests.faults.overload import overload
from tests.faults.scenarios import SCENARIOS, Scenario
from tests.faults.schedules import Schedules
from tests.faults.single import Case, run, undisturbed
from threadline.core.errors import ThreadlineError


@dataclass(frozen=True, slots=True)
class Place:
    """Backends to run on, and what is tried there."""

    scenarios: tuple[Scenario, ...]
    kinds: tuple[str, ...]
    schedules: type[Schedules]


PLACES = {
    "here": Place(SCENARIOS, (*KINDS, *IN_A_ROW), Schedules),
    "aws": Place(ON_AWS, KINDS_ON_AWS, SchedulesOnAws),
}
WORKERS = 2
STEPS = 12
CHUNK = 250


def main(words: Sequence[str]) -> int:
    """Run what is asked for and print it; 1 where the promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults")
    parser.add_argument("--schedules", type=int, default=10_000)
    parser.add_argument("--every", type=int, default=1, help="take each n-th call only")
    parser.add_argument("--aws", type=int, default=0, help="on AWS's backends too, each n-th call")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--kills", type=int, default=0, help="kill a real serve this often")
    parser.add_argument("--messages", type=int, default=0, help="send so many at once")
    parser.add_argument("--first", action="store_true", help="stop at the first violation")
    args = parser.parse_args(words)
    logging.disable(logging.CRITICAL)
    first = random.randrange(2**32) if args.seed is None else args.seed
    with (
        multiprocessing.get_context("spawn").Pool(WORKERS, _quiet) as pool,
        ThreadPoolExecutor(1) as beside,
    ):
        kills = beside.submit(_kills, args.kills, first)
        # What one worker does at a stretch comes first, so that both end together.
        alone = pool.apply_async(_overload, (args.messages,)) if args.messages else None
        on_aws = _Begun(pool, args.schedules // args.aws, first, "aws") if args.aws else None
        broken = _single(pool, Walk("here", args.every), stop=args.first)
        if broken and args.first:
            return 1
        broken += _Begun(pool, args.schedules, first, "here").told()
        if on_aws:
            broken += on_aws.told() + _single(pool, Walk("aws", args.aws), stop=args.first)
        broken += kills.result() + (alone.get() if alone else 0)
    print(f"violations  {broken}")
    return 1 if broken else 0


def _quiet() -> None:
    logging.disable(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class Walk:
    """Every n-th call of every scenario, on the backends of a name."""

    where: str
    every: int

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios there."""
        return PLACES[self.where].scenarios

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of fault there."""
        return PLACES[self.where].kinds


def _single(pool: "multiprocessing.pool.Pool", walk: Walk, *, stop: bool) -> int:
    begun = time.monotonic()
    cases: list[tuple[str, int, int, str]] = []
    points: dict[str, tuple[str, ...]] = {}
    for index, scenario in enumerate(walk.scenarios):
        points[scenario.name] = undisturbed(scenario).points
        # Not the same calls of each: they begin alike.
        numbers = range(index % walk.every, len(points[scenario.name]), walk.every)
        cases += [(walk.where, index, number, kind) for number in numbers for kind in walk.kinds]
    random.Random(0).shuffle(cases)  # what breaks is seen early, and the end is not all long ones
    total: Counter[tuple[str, str]] = Counter()
    bad: list[_Told] = []
    for outcome in pool.imap_unordered(_run_numbered, cases, 8):
        total[outcome.scenario, outcome.kind] += 1
        if outcome.violations:
            bad.append(outcome)
            if stop:
                break
    _table(walk, points, total)
    for outcome in bad:
        print(f"BROKEN {outcome.case} at {outcome.point}: {'; '.join(outcome.violations)}")
    print(
        f"single faults {walk.where}  {len(cases)} in {time.monotonic() - begun:.0f} s", flush=True
    )
    return len(bad)


def _run_numbered(numbered: tuple[str, int, int, str]) -> "_Told":
    where, scenario, number, kind = numbered
    case = Case(PLACES[where].scenarios[scenario], number, kind)
    try:
        outcome = run(case)
    except (AssertionError, ThreadlineError) as error:  # the play itself broke off
        return _Told(case.scenario.name, kind, str(case), "", (f"{error}",))
    return _Told(case.scenario.name, kind, str(case), outcome.point, outcome.violations)


@dataclass(frozen=True, slots=True)
class _Told:
    """An outcome as it comes from another process."""

    scenario: str
    kind: str
    case: str
    point: str
    violations: tuple[str, ...]


def _table(walk: Walk, points: dict[str, tuple[str, ...]], total: Counter[tuple[str, str]]) -> None:
    print(f"{'kind of turn':<16}{'calls':>6}" + "".join(f"{kind:>15}" for kind in walk.kinds))
    for name, passed in points.items():
        row = "".join(f"{total[name, kind]:>15}" for kind in walk.kinds)
        print(f"{name:<16}{len(passed):>6}{row}")


class _Begun:
    """Schedules that the pool's workers are at, from a seed on."""

    def __init__(
        self, pool: "multiprocessing.pool.Pool", number: int, first: int, where: str
    ) -> None:
        size = min(CHUNK, -(-number // WORKERS)) or 1
        chunks = [(where, first + at, min(size, number - at)) for at in range(0, number, size)]
        self.what = f"schedules {where}  {number} from seed {first}"
        self.begun = time.monotonic()
        self.found = pool.imap_unordered(_chunk, chunks)

    def told(self) -> int:
        """Print what is broken once all are done, and count it."""
        broken = [text for text in self.found if text]
        for text in broken:
            print(f"BROKEN {text}")
        print(f"{self.what} in {time.monotonic() - self.begun:.0f} s", flush=True)
        return len(broken)


def _kills(number: int, first: int) -> int:
    """Kill a real serve beside the rest: most of its time it waits."""
    if not number:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        report = kill_test(Path(folder), number, first)
    for text in report.violations:
        print(f"BROKEN {text}")
    told = f"{report.messages} messages in {report.seconds:.0f} s"
    print(f"kill -9  {report.kills} times, {told}", flush=True)
    return len(report.violations)


def _overload(messages: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = overload(Path(folder), messages // 10, 10)
    for text in report.violations:
        print(f"BROKEN {text}")
    told = f"{report.accepted} accepted, {report.refused} refused with 503"
    print(f"overload  {told}, {report.seconds:.0f} s, {report.grown:.0f} MB more", flush=True)
    return len(report.violations)


def _chunk(chunk: tuple[str, int, int]) -> str:
    where, begin, number = chunk
    setattr(hypothesis.core, "global_force_seed", begin)  # noqa: B010 - typed as None there
    try:
        run_state_machine_as_test(PLACES[where].schedules, settings=how(number))
    except (AssertionError, ThreadlineError) as error:
        notes = "\n  ".join(getattr(error, "__notes__", ()))
        return f"seed {begin}: {error}\n  {notes}"
    return ""


def how(number: int) -> settings:
    """Give hypothesis' settings for this many schedules."""
    return settings(
        max_examples=number, stateful_step_count=STEPS, deadline=None, database=None,
        suppress_health_check=list(HealthCheck), phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
    )  # fmt: skip
