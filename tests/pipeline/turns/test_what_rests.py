"""What rests in log and journal: never a person's words, nor a key an agent quotes."""

import json
from collections.abc import Callable

import pytest

from tests.simulation.agent import Script
from tests.simulation.world import Simulation
from threadline.app import items

type Make = Callable[..., Simulation]

WORDS = "my salary is 100000"
KEY = "sk-proj-1234567890"


def rests(world: Simulation, update: int) -> str:
    """Give everything in the log and in the journal of a delivery."""
    partition = items.journal_partition(f"telegram-default-{update}")
    rows = world.ports.ports.store.query("deliveries", partition, "journal#", limit=50)
    assert rows
    return json.dumps([world.lines, [dict(row.attributes) for row in rows]])


@pytest.mark.parametrize("status", [400, 422, 500, 503])
def test_a_refusal_that_quotes_the_message_leaves_no_word(simulate: Make, status: int) -> None:
    """An agent that repeats a person's words in its refusal does not bring them to rest here."""
    world = simulate()
    world.agent.faults["POST runs"] = [status]
    update = world.write(WORDS)["update_id"]
    world.run(300)
    assert "salary" not in rests(world, update)


def test_an_error_that_quotes_the_message_or_a_key_leaves_no_word(simulate: Make) -> None:
    """A run that dies with a person's words, or with a key, does not bring them to rest here."""
    world = simulate()
    world.agent.scripts[WORDS] = Script(error=f"Incorrect API key: {KEY}; input was {WORDS}")
    update = world.write(WORDS)["update_id"]
    world.run(300)
    resting = rests(world, update)
    assert "run run_failed" in resting
    assert "salary" not in resting
    assert KEY not in resting
