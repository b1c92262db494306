"""Redelivery, edits and replies: one run for one message, whatever comes twice or out of order."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.simulation.world import CHAT, Simulation, settings_with
from threadline.core.settings import Allow

type Make = Callable[..., Simulation]


def asked(world: Simulation) -> list[str]:
    """Give what each run was asked, in order."""
    return [str(run.human["content"]) for run in world.agent.runs()]


@pytest.mark.parametrize("wait", [0, 3, 360, 86_400])
def test_a_redelivery_leads_to_no_second_run(simulate: Make, wait: float) -> None:
    """The same update at once, after the queue's own memory of it, or a day later: one run."""
    world = simulate()
    update = world.write("sleep 1")
    world.run(wait)
    world.clock.advance(wait)
    world.post(update)
    world.run()
    assert asked(world) == ["sleep 1"]
    assert world.shown() == ["slept 1"]


def test_the_same_number_in_two_chats_is_two_messages(simulate: Make) -> None:
    """Message 55 of one chat and message 55 of another both run."""
    world = simulate()
    world.telegram.add_chat(78)
    world.write("here", number=55)
    world.write("there", chat=78, number=55)
    world.run()
    assert sorted(asked(world)) == ["here", "there"]


def edited(world: Simulation, original: dict[str, Any], text: str) -> dict[str, Any]:
    """Make the update that edits a message."""
    message = original["message"] | {"text": text, "edit_date": original["message"]["date"] + 1}
    return {"update_id": 5000, "edited_message": message}


def test_an_edit_of_a_waiting_message_replaces_its_text(simulate: Make) -> None:
    """A message corrected while it waits runs once, with the last text."""
    world = simulate()
    world.write("sleep 9")
    world.run(2)
    update = world.write("delpoy x")
    world.run(1)
    world.post(edited(world, update, "deploy x"))
    world.run()
    assert asked(world) == ["sleep 9", "deploy x"]


def test_an_edit_of_a_started_message_is_a_marked_follow_up(simulate: Make) -> None:
    """A correction that comes too late follows as a turn of its own, marked as an edit."""
    world = simulate()
    update = world.write("delpoy x")
    world.run(1)
    world.post(edited(world, update, "deploy x"))
    world.run()
    assert asked(world) == ["delpoy x", "(edited) deploy x"]


def test_an_edit_before_its_original_gives_one_run(simulate: Make) -> None:
    """An edit that overtakes its message waits for it; one run, with the edited text."""
    world = simulate()
    update = world.telegram.say(CHAT, "delpoy x")
    update["message"]["date"] = int(world.clock.now())
    world.post(edited(world, update, "deploy x"))
    world.run(1)
    world.post(update)
    world.run()
    assert asked(world) == ["deploy x"]


def test_an_edit_without_its_original_is_taken_after_a_while(simulate: Make) -> None:
    """An edit whose message never comes is answered, and the late original is a duplicate."""
    world = simulate()
    update = world.telegram.say(CHAT, "delpoy x")
    update["message"]["date"] = int(world.clock.now())
    world.post(edited(world, update, "deploy x"))
    world.run()
    world.post(update)
    world.run()
    assert asked(world) == ["deploy x"]


def test_a_reply_to_the_answer_continues_its_conversation(simulate: Make) -> None:
    """In a group, a reply to the bot's answer goes on in its thread; a new mention does not."""
    world = simulate(settings=settings_with({"allow": Allow(everyone=True)}))
    group = -100500
    world.telegram.add_chat(group, "supergroup")
    mention = {"entities": [{"type": "mention", "offset": 0, "length": 15}]}
    world.write("@threadline_bot hello", chat=group, sender=5, **mention)
    world.run()
    answer = next(one for one in world.telegram.shown(group) if one.by_bot)
    bot = {"id": 7000000001, "is_bot": True, "first_name": "Bot", "username": "threadline_bot"}
    reply = {"message_id": answer.id, "from": bot, "chat": {"id": group, "type": "supergroup"},
             "date": 1, "text": answer.text}  # fmt: skip
    world.write("and more", chat=group, sender=5, reply_to_message=reply)
    world.run()
    world.write("@threadline_bot anew", chat=group, sender=5, **mention)
    world.run()
    first, second, third = world.agent.runs()
    assert first.thread == second.thread != third.thread


def test_a_group_hears_nothing_unless_addressed(simulate: Make) -> None:
    """A message in a group that does not mention the bot runs nothing and says why in the log."""
    world = simulate()
    world.telegram.add_chat(-5, "group")
    world.write("just talking", chat=-5, sender=5)
    world.run()
    assert world.agent.runs() == []
    assert "not_addressed" in {line.get("step") for line in world.lines}


def test_a_paused_binding_accepts_and_runs_nothing(simulate: Make) -> None:
    """A paused binding answers the platform with success and leaves its reason."""
    world = simulate(settings=settings_with({"paused": True}))
    world.write("hello")
    world.run()
    assert world.agent.runs() == []
    assert "paused" in {line.get("step") for line in world.lines}


def test_a_message_older_than_a_week_is_stale(simulate: Make) -> None:
    """A message from before the dedupe memory is refused rather than risked twice."""
    world = simulate()
    update = world.telegram.say(CHAT, "old")
    update["message"]["date"] = int(world.clock.now()) - 8 * 86_400
    world.post(update)
    world.run()
    assert world.agent.runs() == []
    assert "stale" in {line.get("step") for line in world.lines}
