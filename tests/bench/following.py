"""Runs followed by one process: what one costs in memory and an event in CPU."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.bench.children import OURS, PEERS, Child, Told, in_turn
from tests.bench.gates import Row
from tests.crowds import crowd, seed
from threadline import wiring

FIRST = 200
RUNS = 2000
ROUNDS = 3


def following() -> Iterator[Row]:
    """2,000 streams at one event a second each: the whole follower against a mere reader."""
    ours, peer = in_turn(ROUNDS, _ours, _peer)
    yield Row("memory of a followed run", ours["run"], peer["run"], "KB", 0.5)
    yield Row("CPU of an event", ours["event"], peer["event"], "µs", 0.45)


def _ours() -> Told:
    with crowd() as agent, tempfile.TemporaryDirectory() as folder:
        local = wiring.local_ports(Path(folder))
        seed(local, agent.url, range(FIRST))
        child = Child(OURS, "ours/follow.py", (agent.url, folder, str(FIRST), str(RUNS)))
        with child.started() as process:
            assert process.stdout is not None
            told = [""]
            while told[-1] != "more":
                told.append(process.stdout.readline().strip())
            seed(local, agent.url, range(FIRST, RUNS))
            told += process.stdout.read().splitlines()
        local.close()
    found: Told = json.loads(told[-1])
    return found


def _peer() -> Told:
    with crowd() as agent:
        return Child(PEERS, "peers/follow.py", (agent.url, str(FIRST), str(RUNS))).run()
