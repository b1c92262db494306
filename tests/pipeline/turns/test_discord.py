"""Discord's own ways over the whole path: threads, commands, limits, doubt."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.agent import Script
from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.stubs.discord import ADA_DM, BOT, GENERAL, Channel
from tests.stubs.discord_rules import Answer, limited, refused
from threadline.core.texts import say
from threadline.platforms.discord.buttons import rows

MENTION = f"<@{BOT}>"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[DiscordSimulation]:
    """A server whose bot answers everybody."""
    simulation = DiscordSimulation(tmp_path)
    yield simulation
    simulation.close()


def test_a_direct_message_is_answered_where_it_was_asked(world: DiscordSimulation) -> None:
    """The answer grows in the message that first said that work began."""
    world.hear("hello", ADA_DM)
    world.run()
    assert world.discord.shown(ADA_DM) == ["echo: hello"]


def test_a_mention_is_answered_in_a_thread_that_goes_on(world: DiscordSimulation) -> None:
    """The thread is made from the question; who writes on in it needs no mention."""
    question = world.hear(f"{MENTION} hello")
    world.run()
    thread = question["id"]
    assert world.discord.shown(thread) == ["echo: Ada Kern: hello"]
    assert world.discord.shown(GENERAL) == []
    world.hear("and now?", thread)
    world.run()
    assert world.discord.shown(thread)[-1] == "echo: Ada Kern: and now?"
    assert len({run.thread for run in world.agent.runs()}) == 1


def test_every_mention_begins_a_thread_that_stays(world: DiscordSimulation) -> None:
    """A later thread of the channel ends no earlier one: both go on without a mention."""
    first, second = world.hear(f"{MENTION} one"), world.hear(f"{MENTION} two")
    world.run()
    for thread, text in ((first["id"], "more of one"), (second["id"], "more of two")):
        world.hear(text, thread)
        world.run()
        assert world.discord.shown(thread)[-1] == f"echo: Ada Kern: {text}"
    assert len({run.thread for run in world.agent.runs()}) == 2


def test_a_channel_may_need_no_mention(tmp_path: Path) -> None:
    """With `mention: false` all that is said in a channel is answered, each in its thread."""
    world = DiscordSimulation(tmp_path, settings=discord_settings({"mention": False}))
    said = world.hear("hello everybody")
    world.run()
    assert world.discord.shown(said["id"]) == ["echo: Ada Kern: hello everybody"]
    world.close()


def test_typing_shows_until_there_is_text(world: DiscordSimulation) -> None:
    """A run that says nothing yet shows that it works, for two minutes at most."""
    world.agent.scripts |= {"think": Script("", 40.0), "dream": Script("", 1000.0)}
    shown = []
    for text in ("think", "dream", "sleep 40"):
        before = len(typing(world))
        world.hear(text, ADA_DM)
        world.run()
        shown.append(len(typing(world)) - before)
    assert shown == [6, 15, 1]


def test_typing_that_is_refused_is_not_asked_for_again(world: DiscordSimulation) -> None:
    """A limit on the mark costs the mark alone."""
    world.agent.scripts["think"] = Script("", 40.0)
    world.hear("think", ADA_DM)
    world.discord.refuse_typing = limited(5.0)
    world.run()
    assert len(typing(world)) == 1
    assert world.discord.shown(ADA_DM) == [say("run_silent", "en")]


def test_talk_without_a_mention_starts_nothing(world: DiscordSimulation) -> None:
    """In a channel only who calls the bot is answered."""
    world.hear("lunch?")
    world.run()
    assert world.asked() == []


def test_where_no_thread_may_be_made_the_answer_is_a_reply(world: DiscordSimulation) -> None:
    """Without the permission the answer stands in the channel, and a reply to it goes on."""
    world.discord.channels[GENERAL].threads_allowed = False
    question = world.hear(f"{MENTION} hello")
    world.run()
    (answer,) = [one for one in world.discord.channels[GENERAL].messages if one["type"] == 19]
    assert answer["message_reference"]["message_id"] == question["id"]
    world.hear("more", type=19, referenced_message=answer)
    world.run()
    assert len(world.agent.runs()) == 2
    assert len({run.thread for run in world.agent.runs()}) == 1


def test_a_channel_may_be_one_conversation(tmp_path: Path) -> None:
    """With `answers_in: channel` no threads are made, and the channel is one conversation."""
    world = DiscordSimulation(tmp_path, settings=discord_settings(answers_in="channel"))
    for text in ("one", "two"):
        world.hear(f"{MENTION} {text}")
        world.run()
    assert world.discord.shown(GENERAL) == ["echo: Ada Kern: one", "echo: Ada Kern: two"]
    assert len({run.thread for run in world.agent.runs()}) == 1
    world.close()


def test_one_message_twice_is_one_run(world: DiscordSimulation) -> None:
    """What a resumed session tells again, or a gap was filled with, is answered once."""
    message = world.hear("hello", ADA_DM)
    world.run()
    world.take("MESSAGE_CREATE", message)
    world.clock.advance(400)
    world.take("MESSAGE_CREATE", message)
    world.run()
    assert world.asked() == ["hello"]


def test_a_part_refused_twice_is_the_only_one_repeated(world: DiscordSimulation) -> None:
    """Of three parts the second gets 503 twice: calls 1, 2, 2, 2, 3 and no others."""
    world.discord.faults_of["Paragraph 1"] = [refused(503, 0, "503: Service Unavailable")] * 2
    world.hear("long 3", ADA_DM)
    world.run()
    assert [numbered(text) for text in sent(world)] == [1, 1, 1, 2]
    assert [numbered(text) for text in world.discord.shown(ADA_DM)] == [0, 1, 2]


def test_a_part_whose_answer_was_lost_stands_once(world: DiscordSimulation) -> None:
    """Cut off after it was accepted, a part comes again under its nonce: one message."""
    world.discord.faults_of["Paragraph 1"] = [Answer(0, after_effect=True)]
    world.hear("long 3", ADA_DM)
    world.run()
    seconds = [body for body in posts(world) if body["content"].startswith("Paragraph 1")]
    assert len(seconds) == 2
    assert len({body["nonce"] for body in seconds}) == 1
    assert [numbered(text) for text in world.discord.shown(ADA_DM)] == [0, 1, 2]


@pytest.mark.parametrize("stands", [True, False])
def test_a_part_in_doubt_for_long_is_looked_up(world: DiscordSimulation, stands: bool) -> None:
    """When Discord has forgotten the nonce its channel tells whether the part stands there.

    Where it does, the next part follows; where it does not, it is posted then: once, either way.
    """
    cut = Answer(0, after_effect=stands)
    world.discord.faults_of["Paragraph 1"] = [cut, *[refused(503, 0, "down")] * 60]
    world.hear("long 3", ADA_DM)
    world.run(400.0)
    world.discord.faults_of.clear()
    world.run()
    assert [numbered(text) for text in world.discord.shown(ADA_DM)] == [0, 1, 2]
    assert not [line for line in world.lines if line.get("state") == "unknown"]
    assert any("/messages?after=" in path for _, path, _ in world.discord.calls)


def test_a_part_in_doubt_where_nothing_tells_is_for_the_operator(tmp_path: Path) -> None:
    """In a channel of many conversations equal words prove nothing: it is not sent blindly."""
    world = DiscordSimulation(tmp_path, settings=discord_settings(answers_in="channel"))
    cut = Answer(0, after_effect=True)
    world.discord.faults_of["Paragraph 1"] = [cut, *[refused(503, 0, "down")] * 60]
    world.hear(f"{MENTION} long 3")
    world.run(400.0)
    world.discord.faults_of.clear()
    world.run()
    assert [numbered(text) for text in world.discord.shown(GENERAL)] == [0, 1, 2]
    assert len([line for line in world.lines if line.get("state") == "unknown"]) == 1
    world.close()


def test_a_limit_is_waited_out(world: DiscordSimulation) -> None:
    """After 429 nothing is posted before its time; then the answer stands, once."""
    world.discord.faults.append(limited(33.0))
    began = world.clock.now()
    world.hear("hello", ADA_DM)
    world.run()
    assert world.discord.shown(ADA_DM) == ["echo: hello"]
    assert world.clock.now() - began >= 33.0


def test_a_limit_of_the_whole_bot_holds_everywhere(world: DiscordSimulation) -> None:
    """After a global 429 nothing is said in any channel, so that Discord does not shut us out."""
    others = [world.discord.add(Channel(f"11700000000000009{n:02d}")).id for n in range(5)]
    world.discord.faults.append(limited(20.0, everywhere=True))
    world.hear("hello", ADA_DM)
    world.run(2.0)
    began = len(world.discord.calls)
    for channel in others:
        world.hear(f"{MENTION} hello", channel)
    world.run(15.0)
    assert world.discord.calls[began:] == []
    world.run()
    assert world.discord.shown(ADA_DM) == ["echo: hello"]
    threads = [one.id for one in world.discord.channels.values() if one.parent in others]
    assert [world.discord.shown(one) for one in threads] == [["echo: Ada Kern: hello"]] * 5


def test_a_long_answer_keeps_to_the_bucket(world: DiscordSimulation) -> None:
    """Twelve parts go out at the pace the headers tell: Discord never has to refuse one."""
    world.hear("long 12", ADA_DM)
    world.run()
    assert len(world.discord.shown(ADA_DM)) == 12
    assert all(bucket.remaining >= 0 for bucket in world.discord.buckets.values())


def test_a_command_is_answered_in_its_place(world: DiscordSimulation) -> None:
    """`/ask` is answered at once that an answer follows, which then takes that place."""
    assert world.interact(world.discord.asked("hello")) == {"type": 5}
    world.run()
    (answer,) = world.discord.channels[GENERAL].messages
    assert answer["content"] == "echo: Ada Kern: hello"
    assert answer["flags"] == 0


def test_a_long_answer_to_a_command_follows_whole(world: DiscordSimulation) -> None:
    """Further parts are messages of the bot, each once, also where an answer was lost."""
    world.interact(world.discord.asked("long 3"))
    world.run()
    assert [numbered(text) for text in world.discord.shown(GENERAL)] == [0, 1, 2]


def test_an_answer_after_fifteen_minutes_is_edited_by_the_bot(world: DiscordSimulation) -> None:
    """When the command's token has ended the bot edits its message itself, where it may."""
    world.interact(world.discord.asked("sleep 1000"))
    world.run()
    assert world.discord.shown(GENERAL) == ["slept 1000"]


def test_a_pressed_button_answers_the_question(world: DiscordSimulation) -> None:
    """A press is acknowledged without a word, and goes on with the run that asked."""
    question = world.hear(f"{MENTION} ask")
    world.run(60.0)
    thread = world.discord.channels[question["id"]]
    asking = thread.messages[-1]
    asking["components"] = rows('["blue", "green"]')
    pressed = world.discord.pressed(asking, "threadline-answer-1", thread.id)
    assert world.interact(pressed) == {"type": 6}
    world.run()
    assert world.agent.runs()[-1].answers
    assert world.discord.shown(thread.id)[-1] == "echo: green"


def test_a_late_press_is_told_to_its_presser_alone(world: DiscordSimulation) -> None:
    """After the question was answered a button starts nothing; only who pressed it reads why."""
    question = world.hear(f"{MENTION} ask")
    world.run(60.0)
    thread = world.discord.channels[question["id"]]
    asking = thread.messages[-1]
    asking["components"] = rows('["blue", "green"]')
    world.hear("green", thread.id)
    world.run()
    assert world.interact(world.discord.pressed(asking, "threadline-answer-0", thread.id)) == {
        "type": 6
    }
    world.run()
    assert len(world.asked()) == 2
    told = thread.messages[-1]
    assert (told["content"], told["flags"]) == (say("press_late", "en"), 4 | 64)
    assert "press_late" in {str(line.get("step")) for line in world.lines}


def typing(world: DiscordSimulation) -> list[Any]:
    """Give every time that typing was shown."""
    return world.discord.asks("POST", "/channels/[0-9]+/typing")


def posts(world: DiscordSimulation) -> list[dict[str, Any]]:
    """Give every post that was tried."""
    return world.discord.asks("POST", "/channels/[0-9]+/messages")


def sent(world: DiscordSimulation) -> list[str]:
    """Give the texts of posts that were tried, without the first sign of life."""
    return [body["content"] for body in posts(world)[1:]]


def numbered(text: str) -> int:
    """Give the number of the paragraph a part begins with."""
    return int(text.split()[1].rstrip("."))
