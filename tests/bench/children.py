"""Fresh processes to measure in: interleaved, with compiled bytecode, each telling one line."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests" / "bench"
OURS = Path(sys.executable)
PEERS = ROOT / ".tools" / "bench" / "bin" / "python"
LARK = ROOT / ".tools" / "lark" / "bin" / "python"

type Told = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Child:
    """A program to measure: whose Python runs which file, with which words."""

    python: Path
    program: str
    words: Sequence[str] = ()
    environ: Mapping[str, str] = field(default_factory=dict)

    def run(self) -> Told:
        """Run it to its end; give what its last line told, and its CPU in seconds."""
        with self.started() as process:
            assert process.stdout is not None
            lines = process.stdout.read().splitlines()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{self.program} ended with {process.returncode}")
        told: dict[str, float] = json.loads(lines[-1])
        spent = usage.ru_utime + usage.ru_stime
        return {"cpu": spent, **told}

    @contextmanager
    def started(self) -> Iterator[subprocess.Popen[str]]:
        """Run it for as long as the block lasts."""
        with subprocess.Popen(
            [str(self.python), "-P", str(HERE / self.program), *self.words], cwd=ROOT,
            env=surroundings(self.environ, ours=self.python == OURS), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        ) as process:  # fmt: skip
            try:
                yield process
            finally:
                if process.returncode is None:
                    process.kill()


def surroundings(more: Mapping[str, str], *, ours: bool) -> dict[str, str]:
    """Give an environment that compiles bytecode, and in which only ours finds Threadline."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PYTHONHASHSEED")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    paths = [ROOT, ROOT / "layers" / "threadline"] if ours else [ROOT]
    return {**kept, "PYTHONPATH": os.pathsep.join(map(str, paths)), **more}


def in_turn(rounds: int, *measures: Callable[[], Told]) -> list[Told]:
    """Measure each in turn, so many rounds; give the medians of each, by what they tell."""
    told: list[list[Told]] = [[] for _ in measures]
    for _ in range(rounds):
        for place, measure in enumerate(measures):
            told[place].append(measure())
    return [medians(several) for several in told]


def medians(several: Sequence[Told]) -> Told:
    """Give the median of each value."""
    return {name: statistics.median(one[name] for one in several) for name in several[0]}


def warm(*children: Child) -> None:
    """Run each once, so that bytecode is compiled and files are in memory."""
    for child in children:
        child.run()
