"""discord.py's own models read the recordings as we do."""

import asyncio
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import discord
import pytest
from discord.state import ConnectionState

from tests.contract.platforms.discord import CREDENTIALS
from tests.events import Recorded, recordings
from threadline.core.message import Message, Messages
from threadline.platforms.discord import PLATFORM
from threadline.platforms.discord.needs import INTENT_BITS
from threadline.platforms.discord.payload import first_of, sent_at
from threadline.platforms.discord.refusal import MEANS

WRITTEN = [
    pytest.param(one, id=one.case)
    for one in recordings("discord")
    if one.expect["outcome"] == "accepted" and one.payload.get("t")
]
INTERACTIONS = [
    pytest.param(one, id=one.case)
    for one in recordings("discord")
    if one.expect["outcome"] == "accepted" and not one.payload.get("t")
]


@pytest.fixture
def state() -> Iterator[Any]:
    """What discord.py builds its models on, without any connection."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    client = discord.Client(intents=discord.Intents(1))
    client._connection.user = discord.ClientUser(
        state=client._connection,
        data={"id": "1180000000000000101", "username": "ThreadlineDemo", "bot": True,
              "discriminator": "4821", "avatar": None},  # type: ignore[typeddict-item]
    )  # fmt: skip
    yield client._connection
    asyncio.set_event_loop(None)
    loop.close()


def parsed(recorded: Recorded) -> Message:
    """Give what we read."""
    found = PLATFORM.parse(recorded.webhook, CREDENTIALS, 1_790_000_000.0)
    assert isinstance(found, Messages)
    return found.messages[0]


@pytest.mark.parametrize("recorded", WRITTEN)
def test_a_message_is_read_alike(recorded: Recorded, state: ConnectionState[Any]) -> None:
    """Ids, time, author, mentions, reply and files are what discord.py says they are."""
    ours, event = parsed(recorded), recorded.payload["d"]
    theirs = message(state, event)
    assert ours.anchor == str(theirs.id)
    assert ours.sent_at == pytest.approx(theirs.created_at.timestamp())
    assert ours.private == (theirs.guild is None)
    assert ours.sender.id == str(theirs.author.id)
    assert ours.sender.bot == (theirs.author.bot or theirs.webhook_id is not None)
    assert ours.sender.name == theirs.author.display_name
    called = any(user.id == 1180000000000000101 for user in theirs.mentions)
    assert ours.addressed or not called
    reference = theirs.reference
    answered = str(reference.message_id) if reference and reference.type.value == 0 else ""
    assert not ours.replies_to or ours.replies_to == (answered,)
    real = [file for file in ours.files if file.id]
    assert [(f.name, f.size, f.id) for f in real] == [
        (a.filename, a.size, a.url) for a in theirs.attachments
    ]
    assert bool(ours.edits) == (theirs.edited_at is not None)


@pytest.mark.parametrize("recorded", INTERACTIONS)
def test_an_interaction_is_read_alike(recorded: Recorded, state: ConnectionState[Any]) -> None:
    """Who did what in which channel, and the token of the answer, are what discord.py says."""
    ours, event = parsed(recorded), recorded.payload
    theirs: discord.Interaction[Any] = discord.Interaction(data=event, state=state)
    assert ours.id == str(theirs.id)
    assert ours.sender.id == str(theirs.user.id)
    assert ours.workspace == str(theirs.guild_id or "")
    assert ours.facts.get("thread", ours.chat) == str(theirs.channel_id)
    assert ours.sent_at == pytest.approx(theirs.created_at.timestamp())
    command = theirs.type is discord.InteractionType.application_command
    assert ours.facts.get("interaction", "") == (theirs.token if command else "")
    if theirs.message is not None:
        assert ours.anchor == str(theirs.message.id)


def test_what_we_want_to_hear_is_what_it_says() -> None:
    """Our number of intents is servers, messages, direct messages and what they say."""
    wanted = discord.Intents(
        guilds=True, guild_messages=True, dm_messages=True, message_content=True
    )
    assert wanted.value == INTENT_BITS


def test_an_id_tells_the_same_time() -> None:
    """Ids are taken apart and made as discord.py does."""
    at = 1_790_000_000.0
    assert discord.utils.snowflake_time(int(first_of(at))).timestamp() == pytest.approx(at)
    low = discord.utils.time_snowflake(datetime.fromtimestamp(at, tz=UTC))
    assert sent_at(str(low)) == pytest.approx(at)


def test_every_code_is_one_of_discord_s() -> None:
    """The codes that mean something to us are five or six digits, as Discord's are."""
    assert all(10_000 <= code <= 999_999 for code in MEANS)


def message(state: ConnectionState[Any], event: Mapping[str, Any]) -> discord.Message:
    """Let discord.py read a message in a channel it knows as much of as we do."""
    guild = None
    if "guild_id" in event:
        guild = discord.Guild(
            data={"id": event["guild_id"], "name": "server", "roles": []},  # type: ignore[typeddict-item]
            state=state,
        )
        state._add_guild(guild)
    channel = discord.PartialMessageable(
        state=state, id=int(event["channel_id"]), guild_id=guild.id if guild else None
    )
    read = discord.Message(state=state, channel=channel, data=event)  # type: ignore[arg-type]
    if guild is not None and "member" in event:
        member = {**event["member"], "user": event["author"]}
        read.author = discord.Member(data=member, guild=guild, state=state)  # type: ignore[arg-type]
    return read
