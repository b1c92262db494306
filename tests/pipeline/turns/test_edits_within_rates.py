"""Edits keep to what the chat allows, and the answer lands whatever became of them."""

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.simulation.world import Simulation
from tests.stubs.telegram import Fault

type Make = Callable[..., Simulation]


def test_no_edit_comes_before_the_time_a_refusal_names(simulate: Make) -> None:
    """The third edit is refused for 33 s: nothing is edited before, the answer lands once."""
    world = simulate()
    for _ in range(2):
        world.telegram.fault("editMessageText", Fault(takes_effect=True))
    world.telegram.fault("editMessageText", Fault.too_many(33))
    world.write("sleep 8")
    world.run()
    edits = world.telegram.calls_of("editMessageText")
    refused = next(call for call in edits if call.status == 429)
    later = [call.at - refused.at for call in edits if call.at > refused.at]
    assert later
    assert min(later) >= 33
    assert world.shown() == ["slept 8"]


def test_edits_are_at_most_one_a_second(simulate: Make) -> None:
    """However fast the agent writes, a chat sees one edit a second at most."""
    world = simulate()
    world.write("long 4")
    world.run()
    at = [call.at for call in world.telegram.calls_of("editMessageText")]
    assert all(later - earlier >= 0.99 for earlier, later in pairwise(at))


def test_an_answer_that_stands_already_is_no_fault(simulate: Make) -> None:
    """Where the final edit changes nothing, the platform's refusal is success: no new message."""
    world = simulate()
    world.telegram.fault("editMessageText", Fault.drop("after"), times=20)
    world.write("hello")
    world.run()
    assert world.shown() == ["echo: hello"]


@pytest.mark.parametrize("status", [500, 504])
def test_every_try_of_a_turn_bears_the_same_key(simulate: Make, status: int) -> None:
    """However often and from wherever a run is asked for, its idempotency key is its turn's."""
    world = simulate()
    world.agent.faults["POST runs"] = [status, status]
    world.write("hello")
    world.run(20)
    world.boot()
    world.run()
    assert len(world.agent.keys) == 3
    assert len(set(world.agent.keys)) == 1
    assert world.shown() == ["echo: hello"]
