"""Functions end before their time is up, however slow what they call is."""

from collections.abc import Callable

from tests.simulation.network import AGENT, TELEGRAM
from tests.simulation.waiting import store, waiting_post
from tests.simulation.world import Simulation
from threadline.app.arrive import BUDGET
from threadline.backends.outgoing import Passage, PlannedGate

type Make = Callable[..., Simulation]

DISPATCH_TIMEOUT = 30.0
DELIVER_TIMEOUT = 60.0


def test_dispatch_ends_in_time_with_a_slow_agent(simulate: Make) -> None:
    """An agent that answers every call just before its timeout does not cost dispatch its end."""
    world = simulate()
    world.slow[AGENT] = 9.0
    world.write("sleep 1")
    world.run(60)
    world.agent.faults["POST runs"] = [409] * 8
    world.write("second")
    world.run(120)
    world.write("/stop")
    world.run(60)
    assert 9.0 < world.longest["mailbox"] < DISPATCH_TIMEOUT


def test_deliver_ends_in_time_with_a_slow_platform(simulate: Make) -> None:
    """However much waits for a slow chat, deliver ends before it is killed in mid-post."""
    world = simulate()
    world.slow[TELEGRAM] = 1.5
    store(world, [waiting_post(number, world.clock.now()) for number in range(60)])
    world.run(400)
    assert world.shown() == [f"part {number}" for number in range(60)]
    assert world.longest["outbox"] < DELIVER_TIMEOUT


def test_a_turn_left_to_a_wake_starts_with_that_wake(simulate: Make) -> None:
    """A turn that dispatch had no time to start starts with the Wake after it, not the sweep."""
    slow: list[str] = []

    def plan(point: str) -> Passage:
        if point == "store.write" and slow:
            world.clock.advance(BUDGET + 1)
            slow.clear()
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("hello")
    slow.append("the next write")
    began = world.clock.now()
    world.run(300, until=lambda: bool(world.agent.runs()))
    assert world.clock.now() - began < BUDGET + 5


def test_a_task_that_leaves_hands_over_what_it_still_prepares(simulate: Make) -> None:
    """A run that is hinted just before is not followed to its end, for which no time would be."""
    world = simulate()
    world.slow[f"{TELEGRAM}/bot"] = 4.0
    world.write("sleep 60")
    world.run(30, until=lambda: world.watch.taken > world.watch.followed.keys())
    assert world.watch.taken > world.watch.followed.keys()
    world.watch.hand_over()
    left = world.clock.now()
    world.run(30, until=lambda: not world.watch.taken)
    assert world.clock.now() - left < 10
    assert [line["state"] for line in world.lines if line["event"] == "lease"] == ["handed over"]
    world.watch.leaving = False
    world.slow.clear()
    world.run()
    assert world.shown() == ["slept 60"]
    assert len(world.agent.runs()) == 1
