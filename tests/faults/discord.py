"""Turns of Discord's own: a thread that is made for its answer, and a slash command."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.simulation.discord import DiscordSimulation
from tests.simulation.world import CHAT, REDELIVERED_AFTER, Killed, Simulation
from tests.stubs.discord import BOT, GENERAL, GUILD
from threadline.core.errors import StoreError

PLACE = f"discord/default/{GUILD}/{GENERAL}"


@dataclass(slots=True)
class DiscordInstallation(DiscordSimulation):
    """A server in which everything that the bot says counts, wherever it stands."""

    def shown(self, chat: int = CHAT) -> list[str]:
        """Give what the bot said in every channel, in the order of the channels."""
        del chat
        return [text for channel in self.discord.channels for text in self.discord.shown(channel)]

    def place(self, chat: int = CHAT) -> str:
        """Name the channel of the server, whose threads are one destination with it."""
        del chat
        return PLACE

    def take(self, kind: str, message: Mapping[str, Any]) -> None:
        """Hand an event over until it is accepted: a resumed session tells it again."""
        while True:
            try:
                DiscordSimulation.take(self, kind, message)
            except Killed:
                self.kill()
            except (AssertionError, StoreError):
                self.clock.advance(REDELIVERED_AFTER)
            else:
                return


def thread(world: Simulation) -> None:
    """A mention with a long answer, and more in the thread that it made."""
    assert isinstance(world, DiscordInstallation)
    question = world.hear(f"<@{BOT}> long 4")
    world.run(until=lambda: any("Paragraph 3." in text for text in world.shown()))
    world.run(600)
    place = question["id"] if question["id"] in world.discord.channels else GENERAL
    world.hear(f"<@{BOT}> and more", place)


def refused(world: Simulation) -> None:
    """A slash command of somebody who may not talk, and a mention, of which nobody waits."""
    command(world)
    world.run(60)
    assert isinstance(world, DiscordInstallation)
    world.hear(f"<@{BOT}> long 3")


def command(world: Simulation) -> None:
    """A slash command with an answer of several parts."""
    assert isinstance(world, DiscordInstallation)
    asked = world.discord.asked("long 3")
    while True:
        try:
            answered = world.interact(asked)
        except Killed:
            world.kill()
        except (AssertionError, StoreError):
            world.clock.advance(1.0)
        else:
            assert answered == {"type": 5}
            return


def each_once(world: Simulation) -> Iterator[str]:
    """No message of the bot stands twice in a channel, and none says for ever that it works."""
    assert isinstance(world, DiscordInstallation)
    for channel in world.discord.channels.values():
        said = [one["content"] for one in channel.messages if one["author"]["id"] == BOT]
        for text in dict.fromkeys(said):
            if said.count(text) > 1:
                yield f"discord: {json.dumps(text[:40])} stands {said.count(text)} times"
