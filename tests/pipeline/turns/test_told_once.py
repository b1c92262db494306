"""A refused slash command is told why once, and one that had its effect never."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.discord import DiscordSimulation, discord_settings
from tests.simulation.world import Killed
from tests.stubs.discord import GENERAL
from threadline.app import dispatch
from threadline.app.outbox import doubts
from threadline.backends.outgoing import OpenGate, Passage, PlannedGate
from threadline.core.settings import Allow, Settings
from threadline.core.texts import say

type Make = Callable[..., DiscordSimulation]

STRANGER = discord_settings({"allow": Allow(senders=frozenset({"1"}))})
PAUSED = discord_settings({"paused": True})
UNBOUND = replace(discord_settings(), bindings=())
LATER = pytest.mark.parametrize(
    "later", [PAUSED, STRANGER, UNBOUND], ids=["paused", "a stranger now", "no binding"]
)


def told_again(world: DiscordSimulation, interaction: Mapping[str, Any]) -> None:
    """Let the mail of an interaction come again, after the queue has forgotten its id."""
    world.clock.advance(400)
    place = world.discord.channels[GENERAL]
    standing, about = list(place.messages), world.discord.interactions[interaction["token"]]
    first = about["message"]
    world.interact(interaction)
    place.messages[:], about["message"] = standing, first
    world.run()


@LATER
@pytest.mark.parametrize("text", ["hello", "/status"])
def test_what_had_its_effect_is_told_nothing(
    serve_discord: Make, later: Settings, text: str
) -> None:
    """A command that was answered, and whose mail comes again once it would be refused."""
    world = serve_discord()
    interaction = world.discord.asked(text)
    world.interact(interaction)
    world.run()
    answered = world.discord.shown(GENERAL)
    assert answered
    world.settings = later
    told_again(world, interaction)
    assert world.discord.shown(GENERAL) == answered


@pytest.mark.parametrize("later", [STRANGER, UNBOUND, discord_settings()])
def test_what_was_told_one_reason_is_told_no_other(serve_discord: Make, later: Settings) -> None:
    """Nor does it run after all, where the binding was opened again meanwhile."""
    world = serve_discord(settings=PAUSED)
    interaction = world.discord.asked("hello")
    world.interact(interaction)
    world.run()
    world.settings = later
    told_again(world, interaction)
    assert world.discord.shown(GENERAL) == [say("paused", "en")]
    assert world.asked() == []


@pytest.mark.parametrize("point", ["store.write", "queue.outbox.send", "queue.mailbox.delete"])
@pytest.mark.parametrize("after", [True, False])
def test_a_death_while_telling_tells_once(serve_discord: Make, point: str, after: bool) -> None:
    """However far the teller came, and where the answer's place could not be filled either."""
    due: list[bool] = []

    def plan(passed: str) -> Passage:
        if due and passed == point:
            due.clear()
            return Passage(after=Killed()) if after else Passage(before=Killed())
        return Passage()

    world = serve_discord(settings=PAUSED, gate=PlannedGate(plan))
    interaction = world.discord.asked("hello")
    world.interact(interaction)
    world.discord.interactions.clear()
    due.append(True)
    world.run()
    assert world.discord.shown(GENERAL) == ["", say("paused", "en")]


class Meanwhile(OpenGate):
    """Lets something happen just before the next call of a kind."""

    def __init__(self) -> None:
        self.due: dict[str, Callable[[], None]] = {}

    def call[T](self, point: str, work: Callable[[], T]) -> T:
        """Make a blocking call."""
        if point in self.due:
            self.due.pop(point)()
        return work()


def test_two_deliveries_at_once_tell_once(serve_discord: Make) -> None:
    """Of two that are about to write the same sentence, one finds that the other was first."""
    gate = Meanwhile()
    world = serve_discord(settings=PAUSED, gate=gate)
    world.interact(world.discord.asked("hello"))
    world.discord.interactions.clear()
    (mail,) = world.ports.ports.queues.mailbox.receive(1, visibility=0.0)
    other = dispatch.Received("other", mail.body, 1)
    gate.due["store.write"] = lambda: dispatch.handle(world.world, other)
    world.run()
    assert gate.due == {}
    assert world.discord.shown(GENERAL) == ["", say("paused", "en")]


@LATER
def test_a_refused_command_that_cannot_be_handled_is_told(
    serve_discord: Make, later: Settings
) -> None:
    """Who may not be answered is not left with "thinking…" for that the store was away."""
    left = [Passage(before=ConnectionRefusedError())] * 5
    gate = PlannedGate(lambda passed: left.pop() if left and passed == "store.get" else Passage())
    world = serve_discord(settings=later, gate=gate)
    world.interact(world.discord.asked("hello"))
    world.run()
    assert world.discord.shown(GENERAL) == [say("not_taken", "en")]


def test_a_refusal_that_cannot_be_posted_is_no_trouble_of_the_operators(
    serve_discord: Make,
) -> None:
    """A stranger's command fills no list of decisions: a line in the log tells of it."""
    world = serve_discord(settings=STRANGER)
    world.interact(world.discord.asked("hello"))
    world.discord.interactions.clear()
    world.discord.channels[GENERAL].writable = False
    world.run()
    assert [line["reason"] for line in world.lines if line.get("state") == "failed"]
    assert doubts(world.ports.ports.store, world.clock.now()) == ()
