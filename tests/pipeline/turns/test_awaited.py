"""A slash command that leads to nothing: who gave it sees why, instead of "thinking…"."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.stubs.discord import ADA_DM, BOT, GENERAL
from threadline.core.settings import Allow, Settings
from threadline.core.texts import say

STRANGER = {"allow": Allow(senders=frozenset({"1"}))}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Callable[[Settings], DiscordSimulation]]:
    """Give a maker of Discord servers."""
    made: list[DiscordSimulation] = []

    def make(settings: Settings) -> DiscordSimulation:
        made.append(DiscordSimulation(tmp_path, settings=settings))
        return made[-1]

    yield make
    for one in made:
        one.close()


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
    server: Callable[[Settings], DiscordSimulation], settings: Settings, sentence: str
) -> None:
    """Every command is answered, the second like the first, and none leads to a run."""
    world = server(settings)
    for _ in range(2):
        world.interact(world.discord.asked("hello"))
        world.run()
    assert world.discord.shown(GENERAL) == [say(sentence, "en")] * 2
    assert world.asked() == []


def test_a_stranger_is_told_at_each_command_in_private_too(
    server: Callable[[Settings], DiscordSimulation],
) -> None:
    """Once is enough for a message; a command shows that an answer follows each time."""
    world = server(discord_settings(STRANGER))
    for _ in range(2):
        world.interact(world.discord.asked("hello", ADA_DM))
        world.run()
    assert world.discord.shown(ADA_DM) == [say("not_allowed", "en")] * 2


def test_a_message_that_nobody_waits_for_is_left_alone(
    server: Callable[[Settings], DiscordSimulation],
) -> None:
    """A stranger who mentions the bot in a channel gets no answer there."""
    world = server(discord_settings(STRANGER))
    world.hear(f"<@{BOT}> hello")
    world.run()
    assert world.discord.shown(GENERAL) == []
