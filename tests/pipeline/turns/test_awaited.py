"""A slash command that leads to nothing: who gave it sees why, instead of "thinking…"."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.stubs.discord import ADA_DM, BOT, GENERAL
from tests.stubs.discord_rules import limited
from threadline.core.settings import Allow, Busy, ReplyMode, Settings
from threadline.core.texts import say

type Make = Callable[..., DiscordSimulation]

STRANGER = {"allow": Allow(senders=frozenset({"1"}))}


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (discord_settings(STRANGER), "not_allowed"),
        (discord_settings({"paused": True}), "paused"),
        (replace(discord_settings(), bindings=()), "no_binding"),
    ],
    ids=["a stranger", "a paused binding", "no binding"],
)
def test_who_waits_for_an_answer_is_told_why_none_comes(
    serve_discord: Make, settings: Settings, sentence: str
) -> None:
    """Every command is answered, the second like the first, and none leads to a run."""
    world = serve_discord(settings=settings)
    for _ in range(2):
        world.interact(world.discord.asked("hello"))
        world.run()
    assert world.discord.shown(GENERAL) == [say(sentence, "en")] * 2
    assert world.asked() == []


def test_a_stranger_is_told_at_each_command_in_private_too(serve_discord: Make) -> None:
    """Once is enough for a message; a command shows that an answer follows each time."""
    world = serve_discord(settings=discord_settings(STRANGER))
    for _ in range(2):
        world.interact(world.discord.asked("hello", ADA_DM))
        world.run()
    assert world.discord.shown(ADA_DM) == [say("not_allowed", "en")] * 2


def test_a_message_that_nobody_waits_for_is_left_alone(serve_discord: Make) -> None:
    """A stranger who mentions the bot in a channel gets no answer there."""
    world = serve_discord(settings=discord_settings(STRANGER))
    world.hear(f"<@{BOT}> hello")
    world.run()
    assert world.discord.shown(GENERAL) == []


@pytest.mark.parametrize(
    ("text", "binding"),
    [
        ("/status", {"rate": 1}),
        ("/start not-a-code", {"allow": Allow(admitted=True)}),
        ("hello", {"reply": ReplyMode.COMMENT, "busy": Busy.REJECT}),
        ("/status", {"reply": ReplyMode.COMMENT}),
    ],
    ids=["too many", "a wrong code", "busy", "a command where no chat is held"],
)
def test_none_is_left_thinking_however_often(
    serve_discord: Make, text: str, binding: dict[str, Any]
) -> None:
    """What is said once among messages, or shown as a mark, is said to each command in words."""
    world = serve_discord(settings=discord_settings(binding))
    if text == "hello":
        world.hear("sleep 60", ADA_DM)
        world.run(2)
    for _ in range(3):
        world.interact(world.discord.asked(text, ADA_DM))
        world.run(3)
    world.run()
    assert "" not in world.discord.shown(ADA_DM)


def test_a_stop_is_answered_where_the_run_ends_elsewhere(serve_discord: Make) -> None:
    """The run's own post says that it was stopped, and so does the command's answer."""
    world = serve_discord()
    world.hear("sleep 60", ADA_DM)
    world.run(3)
    world.interact(world.discord.asked("/stop", ADA_DM))
    world.run()
    run, command = world.discord.shown(ADA_DM)
    assert run.endswith(say("stopped", "en"))
    assert command == say("stopped", "en")


def test_who_waits_no_more_is_told_nothing(serve_discord: Make) -> None:
    """After Discord's fifteen minutes a refusal would stand in the channel, unasked."""
    world = serve_discord(settings=discord_settings(STRANGER))
    world.interact(world.discord.asked("hello"))
    world.clock.advance(1000)
    world.run()
    assert world.discord.shown(GENERAL) == [""]


def test_a_sentence_that_comes_too_late_is_not_posted(serve_discord: Make) -> None:
    """A refusal that Discord does not take in time is left, and is no trouble of the operator's."""
    world = serve_discord(settings=discord_settings(STRANGER))
    world.interact(world.discord.asked("hello"))
    world.discord.faults += [limited(1000.0)]
    world.run()
    assert world.discord.shown(GENERAL) == [""]
    assert not world.store.due("attention", world.clock.now(), limit=10)
