"""What was missed is read from the channels: all of it, in order, within bounds."""

import json
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.contract.platforms.discord import CREDENTIALS
from tests.stubs.discord import ADA_DM, BOT, GENERAL, GUILD, PUBLIC_THREAD, Channel, DiscordStub
from tests.stubs.discord_rules import limited, refused, respond
from tests.unit.discord.sessions import APP
from threadline.backends.clock import VirtualClock
from threadline.backends.driving import drive
from threadline.core.errors import PlatformUnavailable, RateLimited
from threadline.core.http import HttpRequest, HttpResponse
from threadline.core.socket import Cursor, Missed
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.payload import first_of

THREAD = "1550937249996800007"


@dataclass(slots=True)
class World:
    """A Discord in virtual time and what is kept of a session there."""

    clock: VirtualClock = field(default_factory=VirtualClock)
    stub: DiscordStub = field(init=False)
    cursor: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.stub = DiscordStub(clock=self.clock.now)
        self.stub.add(Channel(THREAD, PUBLIC_THREAD, GUILD, parent=GENERAL, owner=BOT))
        self.cursor = {f"guild/{GUILD}": "-", f"direct/{ADA_DM}": "-"}

    def begins(self) -> None:
        """Let the gap begin now."""
        self.cursor["gap"] = first_of(self.clock.now())
        self.clock.advance(1.0)

    def fills(self) -> Missed:
        """Fill the gap."""
        flow = PLATFORM.backfill(CREDENTIALS, APP, self.cursor, self.clock.now())
        return drive(flow, self._perform, self.clock)

    def _perform(self, request: HttpRequest) -> HttpResponse:
        self.clock.advance(0.01)
        path = request.url.removeprefix("https://discord.com")
        answer = respond(self.stub, request.method, path, request.headers, b"")
        return HttpResponse(answer.status, answer.headers, json.dumps(answer.body).encode())


@pytest.fixture
def world() -> World:
    """A server with a channel and a thread, and a direct channel."""
    return World()


def texts(missed: Missed) -> list[str]:
    """Give what the deliveries say."""
    return [json.loads(body)["d"]["content"] for body in missed.deliveries]


def told(missed: Missed, text: str) -> dict[str, Any]:
    """Give the delivery of one text."""
    found: list[dict[str, Any]] = [json.loads(body) for body in missed.deliveries]
    return next(one for one in found if one["d"]["content"] == text)


def test_everything_since_the_gap_began_comes_in_order(world: World) -> None:
    """Channels, threads and direct messages, oldest first; what is older stays where it is."""
    world.stub.say(GENERAL, "before")
    world.clock.advance(1.0)
    world.begins()
    for number, channel in enumerate((GENERAL, ADA_DM, THREAD, GENERAL)):
        world.stub.say(channel, f"missed {number}")
        world.clock.advance(1.0)
    missed = world.fills()
    assert texts(missed) == [f"missed {number}" for number in range(4)]
    assert missed.save["gap"] == ""


def test_a_message_is_told_as_the_gateway_tells_it(world: World) -> None:
    """History names neither server nor parent: both are added, so that ids are the same."""
    world.begins()
    live = world.stub.say(THREAD, "in a thread")
    delivery = told(world.fills(), "in a thread")
    assert delivery["d"]["guild_id"] == GUILD
    assert delivery["place"] == {"roles": [], "parent": GENERAL, "ours": True}
    assert delivery["d"]["id"] == live["id"]


def test_own_messages_are_left_out(world: World) -> None:
    """What the bot itself wrote was not missed."""
    world.begins()
    world.stub.say(ADA_DM, "mine", author={"id": BOT, "bot": True})
    assert texts(world.fills()) == []


def test_without_a_gap_nothing_is_asked(world: World) -> None:
    """Where nothing was missed no call is made."""
    assert world.fills() == Missed()
    assert world.stub.calls == []


def test_only_channels_with_news_are_read(world: World) -> None:
    """Of a hundred quiet channels not one is asked for its messages."""
    for number in range(100):
        world.stub.add(Channel(str(1_170_000_000_000_001_000 + number)))
    world.begins()
    world.stub.say(GENERAL, "news")
    assert texts(world.fills()) == ["news"]
    read = [path for _, path, _ in world.stub.calls if "/messages" in path]
    assert len(read) == 2


def test_at_most_a_day_is_made_up_for(world: World) -> None:
    """Older questions have been answered elsewhere, or not at all."""
    world.begins()
    world.stub.say(ADA_DM, "long ago")
    world.clock.advance(90_000.0)
    world.stub.say(ADA_DM, "just now")
    assert texts(world.fills()) == ["just now"]


def test_pages_are_turned_up_to_a_bound(world: World) -> None:
    """A busy channel is read from the beginning of the gap, three hundred messages at most."""
    world.begins()
    for number in range(350):
        world.stub.say(GENERAL, str(number))
        world.clock.advance(0.01)
    assert texts(world.fills()) == [str(number) for number in range(300)]


def test_of_very_many_channels_the_liveliest_are_read(world: World) -> None:
    """Fifty channels are read at most: those in which something was said last."""
    busy = [world.stub.add(Channel(str(1_170_000_000_000_002_000 + n))).id for n in range(60)]
    world.begins()
    for number, channel in enumerate(busy):
        world.stub.say(channel, str(number))
        world.clock.advance(1.0)
    assert texts(world.fills()) == [str(number) for number in range(10, 60)]


def test_of_very_many_servers_fifty_are_asked(world: World) -> None:
    """A bot of thousands of servers asks no more of Discord than one of fifty."""
    world.cursor |= {f"guild/{1_170_000_000_000_003_000 + n}": "-" for n in range(60)}
    world.begins()
    world.fills()
    asked = [path for _, path, _ in world.stub.calls if path.endswith("/channels")]
    assert len(asked) == 50


def test_a_closed_channel_does_not_hold_up_the_others(world: World) -> None:
    """Where the bot may not read, nothing is read."""
    closed = world.stub.add(Channel("1170000000000000099", writable=False))
    world.begins()
    world.stub.say(closed.id, "secret")
    world.stub.say(GENERAL, "open")
    assert texts(world.fills()) == ["open"]


def test_a_limit_is_waited_out_once(world: World) -> None:
    """A short limit is waited out; a long one leaves the gap for later, as any trouble does."""
    world.begins()
    world.stub.say(GENERAL, "news")
    world.stub.faults.append(limited(2.5, everywhere=True))
    assert texts(world.fills()) == ["news"]
    for fault, means in (
        (limited(600.0), RateLimited),
        (refused(500, 0, "500"), PlatformUnavailable),
    ):
        world.stub.faults.append(fault)
        with pytest.raises(means):
            world.fills()


@pytest.mark.parametrize(
    "cursor", [{}, {"gap": ""}, {"gap": "soon"}, {"gap": "1", "guild/x": "-", "thread/1": "?"}]
)
def test_a_cursor_that_cannot_be_read_finds_nothing(world: World, cursor: Cursor) -> None:
    """Whatever was kept, filling a gap raises nothing of its own."""
    world.cursor = dict(cursor)
    assert world.fills().deliveries == ()
