"""An agent that is down, slow or confused: tried again, said, given up, kept."""

import json
from collections.abc import Callable

import pytest

from tests.simulation.world import Simulation, settings_with
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def test_a_short_outage_goes_unnoticed(simulate: Make) -> None:
    """An agent that comes back within seconds answers; nobody is told anything."""
    world = simulate()
    world.agent.down = True
    world.write("hello")
    world.run(10)
    world.agent.down = False
    world.run()
    assert world.shown() == ["echo: hello"]
    assert len(world.agent.runs()) == 1


def test_a_longer_outage_is_told_once(simulate: Make) -> None:
    """After half a minute the person is told once, and the answer still comes."""
    world = simulate()
    world.agent.down = True
    world.write("hello")
    world.run(400)
    assert world.shown() == [say("agent_down", "en")]
    world.agent.down = False
    world.run()
    assert world.shown() == [say("agent_down", "en"), "echo: hello"]


def test_an_endless_outage_is_given_up_and_kept(simulate: Make) -> None:
    """After an hour the turn is given up, said, and its message is a dead letter."""
    world = simulate(settings=settings_with(give_up=600.0))
    world.agent.down = True
    world.write("hello")
    world.write("second")
    world.run(900)
    assert {say("agent_down", "en"), say("gave_up", "en")} <= set(world.shown())
    letters = world.ports.ports.queues.dead.receive(10, visibility=30)
    assert json.loads(letters[0].body)["message"]["text"] == "hello"
    world.agent.down = False
    world.run()
    assert [run.human["content"] for run in world.agent.runs()] == ["second"]


@pytest.mark.parametrize("status", [401, 403, 422])
def test_a_refusal_is_final_and_said(simulate: Make, status: int) -> None:
    """An agent that will never take the run is not asked again; the person is told."""
    world = simulate()
    world.agent.faults["POST runs"] = [status] * 50
    world.write("hello")
    world.run()
    assert world.shown() == [say("agent_rejected", "en")]
    assert len([path for method, path in world.agent.calls if path.endswith("/runs")]) == 1


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_lost_answer_is_looked_up_before_it_is_repeated(simulate: Make, status: int) -> None:
    """After an unclear answer the thread's runs are listed first; one run in the end."""
    world = simulate()
    world.agent.faults["POST runs"] = [status]
    world.write("hello")
    world.run()
    assert world.shown() == ["echo: hello"]
    assert len(world.agent.runs()) == 1
    calls = [method for method, path in world.agent.calls if path.endswith("/runs")]
    assert calls == ["POST", "GET", "POST"]


def test_a_vanished_thread_is_made_anew_and_said(simulate: Make) -> None:
    """A thread the agent lost is created again under the same id, and the person is told."""
    world = simulate()
    world.write("hello")
    world.run()
    (thread,) = world.agent.threads
    world.agent.threads.clear()
    world.write("again")
    world.run()
    assert list(world.agent.threads) == [thread]
    assert say("thread_vanished", "en") in world.shown()
    assert "echo: again" in world.shown()


def test_a_stream_without_end_does_not_hold_the_answer(simulate: Make) -> None:
    """A stream that stays open after its run is left, and the answer read from the run."""
    world = simulate()
    world.agent.endless = True
    world.write("hello")
    world.run(120)
    assert world.shown() == ["echo: hello"]
