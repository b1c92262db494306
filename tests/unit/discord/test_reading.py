"""A bot that may no longer read what people write: it is deaf, says so, and makes up for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from long_running.sockets.state import Phase
from tests.stubs.discord import BOT as STUB_BOT
from tests.stubs.discord import GENERAL, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.unit.discord.holding import Found, eventually, held, kept, opened
from tests.unit.discord.sessions import BOT, Gateway, message, server
from threadline.core.socket import Hearing
from threadline.platforms.discord.reading import LOST_AFTER

WITHOUT: dict[str, Any] = {"text": "", "attachments": [], "embeds": [], "mentions": []}
CLICK = "switch on Message Content Intent"

IDENTIFY, RESUME = 2, 6


def talk() -> Gateway:
    """Give a session that hears a server."""
    gateway = Gateway()
    gateway.enters()
    gateway.event("GUILD_CREATE", server(), 2)
    return gateway


def told(gateway: Gateway, *messages: dict[str, Any]) -> None:
    """Tell a session of messages."""
    for about in messages:
        last = int(gateway.cursor["seq"])
        gateway.event("MESSAGE_CREATE", message(str(10**18 + last), **about), last + 1)


def enters_by(gateway: Gateway) -> object:
    """Greet a new connection and give the kind of frame with which it wants to be let in."""
    gateway.hears(10, {"heartbeat_interval": 41_250})
    return gateway.sent[-1]["op"]


def test_messages_that_all_come_empty_make_deaf() -> None:
    """Some messages in a row without anything in them show that the bot may not read."""
    gateway = talk()
    told(gateway, *[WITHOUT] * (LOST_AFTER - 1))
    assert (gateway.session.hearing, gateway.session.why) == (Hearing.HEARING, "")
    told(gateway, WITHOUT)
    assert gateway.session.hearing is Hearing.DEAF
    assert CLICK in gateway.session.why


@pytest.mark.parametrize(
    "about",
    [
        {"text": f"<@{BOT}> hello", "mentions": [{"id": BOT}]},
        {"guild_id": "", "text": "hello"},
        {"sticker_items": [{"id": "1", "name": "wave", "format_type": 1}]},
        {"message_snapshots": [{"message": {"content": "passed on"}}]},
        {"type": 7},
        {"mention_everyone": True},
        {"mention_roles": ["1180000000000000202"]},
        {"referenced_message": {"author": {"id": BOT}}, "type": 19},
        {"author": {"id": "820000000000000001", "bot": True}, "text": "I am one, too"},
        {"webhook_id": "830000000000000001"},
        {"author": {"id": BOT, "bot": True}},
    ],
    ids=[
        "mention", "direct", "sticker", "passed on", "joined", "everyone", "role", "reply",
        "another bot", "webhook", "own",
    ],
)  # fmt: skip
def test_what_shows_nothing_counts_for_neither(about: dict[str, Any]) -> None:
    """A message whose words come in any case, or that has none, ends no row and begins none."""
    gateway = talk()
    told(gateway, *[{**WITHOUT, **about}] * LOST_AFTER)
    before = gateway.session.hearing
    told(gateway, *[WITHOUT] * LOST_AFTER, {**WITHOUT, **about})
    assert (before, gateway.session.hearing) == (Hearing.HEARING, Hearing.DEAF)


@pytest.mark.parametrize(
    "about",
    [{"text": "hello"}, {"attachments": [{"id": "1"}]}, {"embeds": [{}]}, {"poll": {"answers": 1}}],
    ids=["words", "file", "embed", "poll"],
)
def test_one_message_that_can_be_read_shows_that_all_can(about: dict[str, Any]) -> None:
    """Words, a file, an embed or a poll end the row, and what came empty is asked for again."""
    gateway = talk()
    told(gateway, WITHOUT, {**WITHOUT, **about}, *[WITHOUT] * (LOST_AFTER - 1))
    assert gateway.session.hearing is Hearing.HEARING
    told(gateway, WITHOUT)
    assert (gateway.session.hearing, gateway.last.gap) == (Hearing.DEAF, False)
    told(gateway, {**WITHOUT, **about})
    assert (gateway.session.hearing, gateway.last.gap) == (Hearing.HEARING, True)
    assert enters_by(gateway.again()) == RESUME


def test_a_deaf_session_is_not_gone_on_with() -> None:
    """The next connection begins anew, since only then Discord says whether the bot may read."""
    gateway = talk()
    told(gateway, *[WITHOUT] * LOST_AFTER)
    gap = gateway.cursor["gap"]
    gateway.now += 30
    told(gateway, WITHOUT)
    assert not gateway.last.gap
    again = gateway.again()
    assert enters_by(again) == IDENTIFY
    refused = again.closes(4014).end
    assert refused is not None
    assert (refused.refused, CLICK in refused.why) == (True, True)
    later = again.again()
    assert later.cursor["gap"] == gap
    assert later.enters().gap
    assert later.session.hearing is Hearing.HEARING
    assert enters_by(later.again()) == RESUME


@pytest.fixture
def discord() -> Iterator[DiscordServer]:
    """A server whose bot is in a channel."""
    with DiscordServer(DiscordStub()) as serving:
        yield serving


def say(discord: DiscordServer, text: str) -> None:
    """Let Ada write in the channel, and every session hear of it."""
    discord.tell("MESSAGE_CREATE", discord.stub.say(GENERAL, text))


def test_an_intent_that_is_lost_is_shown_and_made_up_for(
    tmp_path: Path, discord: DiscordServer
) -> None:
    """Switched off under a session it is deaf; anew it is refused; switched on, nothing is lost."""
    on = discord.stub.application.flags
    with opened(tmp_path, discord) as ports:
        found = Found(ports)
        with held(ports) as socket:
            eventually(lambda: socket.state.phase is Phase.CONNECTED)
            say(discord, "heard")
            eventually(lambda: found.texts(1))
            discord.stub.application.flags = 0
            for number in range(LOST_AFTER):
                say(discord, f"unheard {number}")
            eventually(lambda: socket.state.phase is Phase.DEAF)
            assert CLICK in socket.state.why
            say(discord, f"<@{STUB_BOT}> called")
            eventually(lambda: found.texts(2))
            eventually(lambda: kept(ports).get("unread"))
            discord.drop()
            eventually(lambda: socket.state.phase is Phase.REFUSED)
            assert CLICK in socket.state.why
        discord.stub.application.flags = on
        with held(ports) as socket:
            eventually(lambda: found.texts(2 + LOST_AFTER))
            assert socket.state.phase is Phase.CONNECTED
    texts = {one.text for one in found.messages}
    assert texts == {"heard", "called", *(f"unheard {number}" for number in range(LOST_AFTER))}
    assert discord.faults == []
