"""A store that is away for a while."""

from collections.abc import Callable

from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation
from threadline.backends.outgoing import Passage, PlannedGate

type Make = Callable[..., Simulation]

AWAY = 90.0


def test_an_outage_of_the_store_costs_no_message(simulate: Make) -> None:
    """What was accepted in an outage of a minute and a half runs after it, without an operator."""
    until: list[float] = []

    def plan(point: str) -> Passage:
        if point.startswith("store.") and until and world.clock.now() < until[0]:
            return Passage(before=ConnectionRefusedError())
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    until.append(world.clock.now() + AWAY)
    world.write("hello")
    world.run(AWAY + 10)
    world.clock.advance(30)
    world.run(900)
    assert world.shown() == ["echo: hello"]
    assert letters_of(world).letters() == ()
