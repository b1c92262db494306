"""Messages with bodies no queue holds, and numbers no clock knows."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from functions.ingest import handler as ingest_handler
from tests.simulation.letters import letters_of
from tests.simulation.world import CHAT, SECRET, Simulation, event_of
from threadline.app.audit import Hand
from threadline.core.texts import say

type Make = Callable[..., Simulation]

LARGE = "😀" * 95_000


def write_large(world: Simulation) -> None:
    """Let a person send 380 KB, as platforms do: in UTF-8, nothing escaped."""
    update = world.telegram.say(CHAT, LARGE)
    update["message"]["date"] = int(world.clock.now())
    body = {"body": json.dumps(update, ensure_ascii=False)}
    event: dict[str, Any] = event_of(update, SECRET) | body
    assert ingest_handler.handler(event, None)["statusCode"] == 200


def test_a_large_message_is_run_whole(simulate: Make) -> None:
    """A message too large for a queue body reaches the agent with not a character less."""
    world = simulate()
    write_large(world)
    world.run(900)
    assert world.asked() == [LARGE]
    assert world.quiet()


def test_a_large_message_that_the_agent_refuses_can_be_put_back(simulate: Make) -> None:
    """It is given up like any other, found by its delivery, and put back it runs once."""
    world = simulate()
    world.agent.faults["POST runs"] = [422]
    write_large(world)
    world.run(900)
    assert world.shown() == [say("agent_rejected", "en")]
    assert world.quiet()
    letters = letters_of(world)
    (letter,) = letters.letters()
    assert letters.put_back(letter.delivery, Hand("olga", "1")) == 1
    world.run(900)
    assert world.asked() == [LARGE]
    assert letters.letters() == ()


@pytest.mark.parametrize("date", [10**30, 10**400, -5, 1e308])
def test_a_date_of_any_size_is_answered(simulate: Make, date: float) -> None:
    """Numbers beyond every clock are taken or ignored; the platform is never told to try again."""
    world = simulate()
    update = world.telegram.say(CHAT, "hello")
    update["message"]["date"] = date
    assert world.post(update)["statusCode"] == 200
    world.run(60)
    assert world.quiet()
