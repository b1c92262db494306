"""Turns that nobody takes or ends: the person is told, and the conversation goes on."""

from collections.abc import Callable
from dataclasses import replace

from tests.simulation.world import Simulation
from threadline.core.ids import AgentName
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def always_busy(simulate: Make) -> Simulation:
    """Make an installation whose agent answers every create call with 409, though nothing runs."""
    world = simulate()
    world.agent.faults["POST runs"] = [409] * 100_000
    world.write("hello")
    return world


def behind_a_foreign_run(simulate: Make, seconds: float) -> Simulation:
    """Make an installation whose second message meets somebody else's run."""
    world = simulate()
    world.write("hello")
    world.run()
    (thread,) = world.agent.threads
    world.agent.foreign_run(thread, seconds)
    world.write("second")
    return world


def rename_agent(world: Simulation) -> None:
    """Give the agent another name, as a change of the configuration does."""
    old, name = world.settings, AgentName("new")
    agent = replace(old.agents[AgentName("demo")], name=name)
    bindings = tuple(replace(one, agent=name) for one in old.bindings)
    world.settings = replace(old, version="2", agents={name: agent}, bindings=bindings)


def test_a_busy_thread_is_told_after_half_a_minute_not_at_once(simulate: Make) -> None:
    """An agent that does not take the turn is told of once, and only after 30 s."""
    world = always_busy(simulate)
    world.run(12)
    assert world.shown() == []
    world.run(60)
    assert world.shown() == [say("agent_down", "en")]


def test_a_thread_busy_for_an_hour_is_given_up(simulate: Make) -> None:
    """A turn that meets 409 for longer than an outage may last is given up, and said."""
    world = always_busy(simulate)
    world.run(4500)
    assert say("gave_up", "en") in world.shown()
    assert world.quiet()


def test_a_foreign_run_without_end_is_told_and_given_up(simulate: Make) -> None:
    """Who waits behind somebody else's run hears of it within minutes, and is let go in the end."""
    world = behind_a_foreign_run(simulate, 1e7)
    world.run(180)
    assert world.shown() == ["echo: hello", say("waits_elsewhere", "en")]
    world.run(7200)
    assert say("gave_up", "en") in world.shown()
    assert world.asked() == ["hello", "foreign"]
    assert world.quiet()


def test_an_agent_renamed_under_a_run_ends_the_turn(simulate: Make) -> None:
    """A run whose agent the configuration lost is given up and said; the next message runs."""
    world = simulate()
    world.write("sleep 60")
    world.run(5)
    rename_agent(world)
    world.kill()
    world.run(8000)
    assert world.shown()[-1] == say("run_vanished", "en")
    world.write("next")
    world.run(1200)
    assert world.shown()[-1] == "echo: next"


def test_an_agent_renamed_behind_a_foreign_run_ends_the_turn(simulate: Make) -> None:
    """A turn that waits for a foreign run of an agent that is gone is given up, and said."""
    world = behind_a_foreign_run(simulate, 600)
    world.run(20)
    rename_agent(world)
    world.run(300)
    assert say("gave_up", "en") in world.shown()
    world.write("next")
    world.run(3600)
    assert world.shown()[-1] == "echo: next"
    assert world.quiet()
