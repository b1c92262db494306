"""What a turn costs in calls, counted at the gate that every call passes."""

from collections.abc import Callable

import pytest

from tests.simulation.world import Simulation, settings_with
from threadline.backends.outgoing import CountingGate
from threadline.core.settings import ReplyMode

type Make = Callable[..., Simulation]

SWEEPS = ("store.due", "blobs.names")
"""Calls of the sweep, which belong to no message."""


def billed(gate: CountingGate) -> int:
    """Count the calls to the store, the queues and the blobs but for those of event sources."""
    counts = gate.counts("store", "queue", "blobs")
    of_sources = ("receive", "delete")
    return sum(
        number
        for point, number in counts.items()
        if point not in SWEEPS and not point.endswith(of_sources)
    )


def agent_calls(gate: CountingGate) -> list[str]:
    """Give the calls to the agent before the run had started."""
    points = [point for point in gate.points if point.startswith("http.")]
    return points[: points.index("http.create run") + 1]


def test_a_chat_turn_takes_thirteen_calls(simulate: Make) -> None:
    """A turn with a one-part answer within one lease period: at most 13 calls."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("sleep 6")
    world.run()
    assert world.shown() == ["slept 6"]
    assert billed(gate) <= 13


@pytest.mark.parametrize("parts", [2, 4])
def test_a_further_part_takes_two_calls(simulate: Make, parts: int) -> None:
    """Each part beyond the first costs at most two calls more."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write(f"long {3 * parts}")
    world.run()
    assert billed(gate) <= 13 + 2 * (len(world.shown()) - 1)


def test_a_longer_run_takes_a_call_in_fifteen_seconds(simulate: Make) -> None:
    """A run that goes on costs a renewal of its lease every 15 s, and little beside it."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("sleep 80")
    world.run()
    assert billed(gate) <= 13 + 80 / 15 + 1


def test_a_turn_nobody_watches_takes_six_calls(simulate: Make) -> None:
    """A fire-and-forget turn: at most 6 calls, its end included."""
    gate = CountingGate()
    world = simulate(gate=gate, settings=settings_with({"reply": ReplyMode.LOG}))
    world.write("hello")
    world.run()
    assert len(world.agent.runs()) == 1
    assert billed(gate) <= 6


def test_the_agent_is_asked_once_or_twice(simulate: Make) -> None:
    """Before a run has started: two calls on a new conversation, one on a known one."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("hello")
    world.run()
    assert agent_calls(gate) == ["http.create thread", "http.create run"]
    gate.reset()
    world.write("again")
    world.run()
    assert agent_calls(gate) == ["http.create run"]


def test_a_run_that_is_over_is_asked_once(simulate: Make) -> None:
    """When its stream has ended, one look at the run and one at what it left are enough."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("hello")
    world.run()
    after = gate.points[gate.points.index("http.create run") :]
    asked = [point for point in after if point.startswith("http.read")]
    assert world.shown() == ["echo: hello"]
    assert asked == ["http.read run", "http.read state"]


def test_ingest_makes_one_call(simulate: Make) -> None:
    """Before its 200, ingest makes exactly one call besides reading its own secret's cache."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("hello")
    assert billed(gate) == 1
