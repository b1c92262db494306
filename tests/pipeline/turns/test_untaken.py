"""A message that cannot be handled while the store is away: who is told, and what is kept."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation, settings_with
from tests.stubs.discord import BOT, GENERAL
from threadline.app.audit import Hand
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.settings import Allow, ReplyMode
from threadline.core.texts import say

type Make = Callable[..., Simulation]

NOT_TAKEN = say("not_taken", "en")
GROUP = -42
TRIES = 5


def away(point: str, after: str = "") -> PlannedGate:
    """Refuse a call as often as a mail is tried, once a call of another kind was made."""
    left = [Passage(before=ConnectionRefusedError())] * TRIES

    def plan(passed: str) -> Passage:
        due = left and passed == point and (not after or after in gate.points)
        return left.pop() if due else Passage()

    gate = PlannedGate(plan)
    return gate


@pytest.fixture
def server(serve_discord: Callable[..., DiscordSimulation]) -> Callable[..., DiscordSimulation]:
    """Give a maker of Discord servers whose store is away for the first message."""

    def make(binding: Mapping[str, Any] | None = None) -> DiscordSimulation:
        return serve_discord(settings=discord_settings(binding), gate=away("store.get"))

    return make


def test_a_command_that_cannot_be_handled_is_told(
    server: Callable[..., DiscordSimulation],
) -> None:
    """Who gave a slash command reads that it was not taken, instead of "thinking…" for ever."""
    world = server()
    world.interact(world.discord.asked("hello"))
    world.run()
    assert world.discord.shown(GENERAL) == [NOT_TAKEN]
    world.clock.advance(1)
    assert letters_of(world).put_back("", Hand("olga", "1")) == 1
    world.run()
    assert len(world.asked()) == 1
    assert any("echo: " in text for text in said(world))


def test_a_mention_that_cannot_be_handled_is_told(server: Callable[..., DiscordSimulation]) -> None:
    """Who calls the bot in a channel is told there, and the message comes back from the letters."""
    world = server()
    world.hear(f"<@{BOT}> hello")
    world.run()
    assert said(world) == [NOT_TAKEN]
    world.clock.advance(1)
    assert letters_of(world).put_back("", Hand("olga", "1")) == 1
    world.run()
    assert said(world) == [NOT_TAKEN, "echo: Ada Kern: hello"]


@pytest.mark.parametrize(
    "binding",
    [{"allow": Allow(senders=frozenset({"1"}))}, {"reply": ReplyMode.LOG}],
    ids=["a stranger", "a binding that says nothing"],
)
def test_nothing_is_said_to_others(
    server: Callable[..., DiscordSimulation], binding: Mapping[str, Any]
) -> None:
    """Of somebody who may not talk, or where nothing is answered, only the operator is told."""
    world = server(binding)
    world.hear(f"<@{BOT}> hello")
    world.run()
    assert said(world) == []
    assert len(letters_of(world).letters()) == 1


def test_where_no_mention_is_needed_none_is_needed_to_be_told(simulate: Make) -> None:
    """In a group that is all for us, a message without a mention that was not taken is told."""
    world = simulate(gate=away("store.get"), settings=settings_with({"mention": False}))
    world.telegram.add_chat(GROUP, "group")
    world.write("hello group", chat=GROUP, sender=5)
    world.run()
    assert world.shown(GROUP) == [NOT_TAKEN]


@pytest.mark.parametrize("point", ["secrets.get", "queue.runs.send"])
def test_what_had_its_effect_is_no_dead_letter(simulate: Make, point: str) -> None:
    """A message whose turn stands is answered by it, however often its mail came back."""
    world = simulate(gate=away(point, after="store.write"))
    world.write("hello")
    world.run()
    assert world.shown() == ["echo: hello"]
    assert letters_of(world).letters() == ()
    assert not any(line["event"] == "dead_letter" for line in world.lines)
    assert "poison" not in world.steps()


def said(world: DiscordSimulation) -> list[str]:
    """Give what the bot said in every channel."""
    return [text for channel in world.discord.channels for text in world.discord.shown(channel)]
