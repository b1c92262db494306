"""A follower dies: its run goes on in bounded time; one that lives costs no wake."""

from collections.abc import Callable

import pytest

from tests.simulation import world as simulated
from tests.simulation.world import Simulation
from threadline.app import lease, sweep
from threadline.backends.outgoing import CountingGate
from threadline.core.turn import DUE_AFTER, State

type Make = Callable[..., Simulation]

SWEEP_EVERY = 60.0
ON_THE_WAY = 3.0
BOUND = DUE_AFTER[State.RUNNING] + SWEEP_EVERY + lease.LENGTH + ON_THE_WAY
"""Seconds: a renewal is missed, the sweep sees it, the lease stands still for its length."""


@pytest.fixture(autouse=True)
def _hints_stay_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the hint of a follower that died come again as late as on AWS."""
    monkeypatch.setitem(simulated.VISIBILITY, "runs", 960.0)


@pytest.mark.parametrize("age", [1, 10, 29, 31, 60, 75, 95, 118, 133, 150])
def test_a_run_goes_on_within_the_bound(simulate: Make, age: int) -> None:
    """Whenever its follower dies, a run is followed again within 138 s, and answered once."""
    world = simulate()
    world.write("sleep 500")
    world.run(age)
    assert world.watch.followed
    world.kill()
    died = world.clock.now()
    world.run(400, until=lambda: bool(world.watch.followed))
    assert world.clock.now() - died < BOUND
    world.run()
    assert world.shown() == ["slept 500"]
    assert len(world.agent.runs()) == 1


def test_a_second_death_costs_no_more_than_the_first(simulate: Make) -> None:
    """The next follower dies as soon as it has the run: the same bound holds again."""
    world = simulate()
    world.write("sleep 900")
    world.run(40)
    for _ in range(3):
        world.kill()
        died = world.clock.now()
        world.run(400, until=lambda: bool(world.watch.followed))
        assert world.clock.now() - died < BOUND
    world.run()
    assert world.shown() == ["slept 900"]


def test_a_followed_run_is_left_alone(simulate: Make) -> None:
    """However long it takes, a run that somebody follows costs no mail and no second hint."""
    gate = CountingGate()
    world = simulate(gate=gate)
    world.write("sleep 1000")
    world.run()
    assert world.shown() == ["slept 1000"]
    calls = gate.counts("queue")
    assert (calls["queue.mailbox.send"], calls["queue.runs.send"]) == (2, 1)
    assert not [line for line in world.lines if line["event"] == "sweep"]


def test_more_than_one_sweep_reads_is_moved_out_of_the_way(
    simulate: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Followed runs that fill a sweep do not hide what is due behind them."""
    monkeypatch.setattr(sweep, "MOST", 4)
    world = simulate()
    chats = range(100, 110)
    for chat in chats:
        world.telegram.add_chat(chat)
        world.write("sleep 900", chat=chat)
        world.run(1)
    world.run(200)
    world.kill()
    died = world.clock.now()
    world.run(900, until=lambda: len(world.watch.followed) == len(chats))
    assert world.clock.now() - died < 3 * BOUND
    world.run()
    assert [world.shown(chat) for chat in chats] == [["slept 900"]] * len(chats)


def test_a_second_hint_at_a_live_lease_leaves_nothing(simulate: Make) -> None:
    """Whoever finds that somebody follows deletes the hint, and sets no timer."""
    gate = CountingGate()
    world = simulate(gate=gate, twins=True)
    world.write("sleep 100")
    world.run()
    assert world.shown() == ["slept 100"]
    assert gate.counts("queue.timers") == {}
