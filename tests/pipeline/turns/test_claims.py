"""Threads of prescribed ids: whose they are is settled before they are made."""

from collections.abc import Callable

from tests.simulation.github import answered_for, comment
from tests.simulation.world import Simulation

type Make = Callable[..., Simulation]


def test_another_owner_is_refused_the_thread(simulate: Make) -> None:
    """The first owner's thread is never run for a second one; the reason is stated."""
    world = simulate(settings=answered_for("alice"))
    comment(world, 1)
    assert len(world.agent.runs()) == 1
    world.settings = answered_for("mallory")
    comment(world, 2)
    assert len(world.agent.runs()) == 1
    assert "thread_owned_elsewhere" in {line.get("step") for line in world.lines}
    world.settings = answered_for("alice")
    comment(world, 3)
    assert len(world.agent.runs()) == 2
    assert len(world.agent.threads) == 1
