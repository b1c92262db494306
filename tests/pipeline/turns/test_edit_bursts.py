"""Edits in any number and order: each leads to a run or a reason, and none blocks a chat."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.simulation.world import CHAT, Simulation
from threadline.core.texts import say

type Make = Callable[..., Simulation]

GROUP = -1001
TOPIC = 5
BOT = "@threadline_bot"


def edited(world: Simulation, update: dict[str, Any], text: str) -> dict[str, Any]:
    """Give the update by which a message gets this text."""
    message = update["message"] | {"text": text, "edit_date": int(world.clock.now())}
    return {"update_id": update["update_id"] + 5000, "edited_message": message}


def spoken(world: Simulation, text: str, *, chat: int = CHAT, **more: Any) -> dict[str, Any]:
    """Give the update of a message that is not sent on yet."""
    update = world.telegram.say(chat, text, **more)
    update["message"]["date"] = int(world.clock.now())
    return update


def to_bot(sender: int) -> dict[str, Any]:
    """Give what makes a person's message in the forum topic one for the bot."""
    mention = {"type": "mention", "offset": 0, "length": len(BOT)}
    return {
        "sender": sender, "entities": [mention], "message_thread_id": TOPIC,
        "is_topic_message": True,
    }  # fmt: skip


@pytest.mark.parametrize("count", [10, 30, 60])
def test_a_burst_of_edits_of_unknown_messages_blocks_nobody(simulate: Make, count: int) -> None:
    """However many edits come whose originals never did, the chat goes on, nothing is poison."""
    world = simulate()
    for number in range(count):
        update = spoken(world, f"message {number}")
        world.insist(edited(world, update, f"edit {number}"))
    world.run(1800)
    world.write("sleep 1")
    world.run(1800)
    assert world.shown()[-1] == "slept 1"
    assert world.quiet()
    assert "poison" not in world.steps()


def test_an_edit_by_another_person_leaves_the_question_open(simulate: Make) -> None:
    """A question waits its half hour whatever others edit, and their edit is run after it."""
    world = simulate()
    world.telegram.add_chat(GROUP, "supergroup", (TOPIC,))
    world.write(f"{BOT} ask", chat=GROUP, **to_bot(sender=1))
    world.run(20)
    assert "Which colour?" in world.shown(GROUP)[-1]
    update = spoken(world, f"{BOT} hello", chat=GROUP, **to_bot(sender=2))
    world.insist(edited(world, update, f"{BOT} hello there"))
    world.run(60)
    assert say("question_expired", "en") not in world.shown(GROUP)
    world.run(4000)
    assert "hello there" in world.asked()[-1]


def test_an_edit_that_changes_no_text_starts_no_second_run(simulate: Make) -> None:
    """An edited message whose text is the same leads to no second run.

    Telegram sends such updates when fields change that a bot never sees:
    https://core.telegram.org/bots/api#update
    """
    world = simulate()
    update = world.write("hello")
    world.run(60)
    for number in range(3):
        world.insist(edited(world, update, "hello") | {"update_id": 7000 + number})
        world.run(60)
    assert world.asked() == ["hello"]


def test_an_edit_into_a_command_is_carried_out(simulate: Make) -> None:
    """A slip that is mended into `/stop` stops; the agent is never sent the command's text."""
    world = simulate()
    world.write("sleep 100")
    world.run(3)
    update = spoken(world, "/stpo")
    world.insist(update)
    world.insist(edited(world, update, "/stop"))
    world.run(300)
    assert not any("/stop" in text for text in world.asked())
    assert world.agent.runs()[0].cancelled_at is not None
