"""A gateway that misbehaves: whatever it sends, what people write arrives, and once."""

import json
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from long_running.sockets.state import Phase
from tests.stubs.discord import ADA_DM, BOT, GENERAL, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.unit.discord.holding import Found, eventually, held, opened
from threadline.platforms.discord.connecting import MAX_FRAME


@pytest.fixture
def discord() -> Iterator[DiscordServer]:
    """A server with a channel and a direct one."""
    with DiscordServer(DiscordStub()) as server:
        yield server


def say(discord: DiscordServer, text: str, channel: str = ADA_DM) -> dict[str, Any]:
    """Let Ada write, and every session hear of it."""
    message = discord.stub.say(channel, text)
    discord.tell("MESSAGE_CREATE", message)
    return message


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (b"", True),
        (b"{", True),
        (b"null", True),
        (b"[" * 10_000, True),
        (b'{"op": 99, "d": {"a": 1}}', True),
        (b'{"op": "0", "t": "MESSAGE_CREATE"}', True),
        (b'{"op": 0, "s": "x", "t": 5, "d": []}', True),
        (b'{"op": 0, "s": -5, "t": "MESSAGE_CREATE", "d": {"id": "1"}}', True),
        (b'{"op": 1e400}', True),
        (b'{"op": 10, "d": {"heartbeat_interval": 1e12}}', True),
        (b'{"op": 0, "d": {"content": "\\ud800"}, "t": "MESSAGE_CREATE"}', True),
        (b"\x00\xff\xfe", False),
        (zlib.compress(b'{"op": 11}'), False),
        (json.dumps({"op": 0, "t": "X", "d": "x" * 4_000_000}).encode(), True),
    ],
    ids=lambda value: repr(value)[:40] if isinstance(value, bytes) else "",
)
def test_a_frame_nobody_understands_is_passed_over(
    tmp_path: Path, discord: DiscordServer, frame: bytes, text: bool
) -> None:
    """The connection goes on, and what is written next arrives."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        discord.send(frame, text=text)
        say(discord, "hello")
        found = Found(ports)
        eventually(lambda: found.texts(1))
        assert [one.text for one in found.messages] == ["hello"]
    assert (discord.identified, discord.resumed) == (1, 0)


@pytest.mark.parametrize("frame", [b'{"op": 0, "t": "\xff\xfe"}', b"x" * (MAX_FRAME + 1)])
def test_a_frame_that_ends_the_connection_loses_nothing(
    tmp_path: Path, discord: DiscordServer, frame: bytes
) -> None:
    """What is no UTF-8, or larger than anything Discord sends, costs the connection alone."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        found = Found(ports)
        say(discord, "before")
        discord.send(frame)
        eventually(lambda: discord.resumed == 1)
        say(discord, "after")
        eventually(lambda: found.texts(2))
        assert [one.text for one in found.messages] == ["before", "after"]
    assert discord.identified == 1


def test_a_gateway_that_no_longer_answers_is_left(tmp_path: Path, discord: DiscordServer) -> None:
    """Heartbeats without an answer mean a dead connection: its session goes on with another."""
    discord.heartbeat = 1000
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        discord.answers = False
        eventually(lambda: discord.resumed == 1)
        discord.answers = True
        say(discord, "still there?")
        found = Found(ports)
        eventually(lambda: found.texts(1))
    assert discord.identified == 1


def test_an_event_that_was_left_out_is_read_from_its_channel(
    tmp_path: Path, discord: DiscordServer
) -> None:
    """A message whose event never came, or cannot be read, is found by what comes after it."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        say(discord, "first")
        found = Found(ports)
        eventually(lambda: found.texts(1))
        discord.stub.say(GENERAL, f"<@{BOT}> left out")
        (session,) = discord.sessions.values()
        session.events.append({"op": 0, "s": len(session.events) + 1, "t": "NEVER_SENT", "d": {}})
        say(discord, "last")
        eventually(lambda: found.texts(3))
        assert {one.text for one in found.messages} == {"first", "left out", "last"}
    assert (discord.identified, discord.resumed) == (1, 0)


def test_events_told_twice_are_one_delivery(tmp_path: Path, discord: DiscordServer) -> None:
    """A duplicated event has the ids of the first one, whatever its number is."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        message = say(discord, "once")
        for _ in range(3):
            discord.tell("MESSAGE_CREATE", message)
        say(discord, "then")
        found = Found(ports)
        eventually(lambda: found.texts(2))
        assert len({one.delivery for one in found.messages}) == 2


def test_an_edit_before_its_message_is_an_edit(tmp_path: Path, discord: DiscordServer) -> None:
    """Events out of order keep what they are: the edit names the message it is of."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        message = discord.stub.say(ADA_DM, "first draft")
        edited = {**message, "content": "second draft",
                  "edited_timestamp": "2026-09-21T14:14:02.481000+00:00"}  # fmt: skip
        discord.tell("MESSAGE_UPDATE", edited)
        discord.tell("MESSAGE_CREATE", message)
        found = Found(ports)
        eventually(lambda: found.texts(2))
        edit, original = found.messages
        assert (edit.edits, original.edits) == (original.id, "")
        assert edit.order > original.order


@pytest.mark.parametrize(
    ("act", "identified"),
    [
        (lambda discord: discord.close(4000), 1),
        (lambda discord: discord.close(4999), 1),
        (lambda discord: discord.close(4009), 2),
        (lambda discord: discord.send(b'{"op": 7, "d": null}'), 1),
        (lambda discord: discord.send(b'{"op": 9, "d": true}'), 1),
        (lambda discord: discord.send(b'{"op": 9, "d": false}'), 2),
    ],
    ids=["unknown error", "no such code", "timed out", "reconnect", "invalid", "over"],
)
def test_whatever_ends_a_connection_nothing_is_lost(
    tmp_path: Path, discord: DiscordServer, act: Callable[[DiscordServer], None], identified: int
) -> None:
    """What is written around the end of a connection arrives, by a resumed session or a new one."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        found = Found(ports)
        for text in ("a", "b"):
            say(discord, text)
        act(discord)
        for text in ("c", "d"):
            say(discord, text)
        eventually(lambda: found.texts(4))
        assert sorted({one.text for one in found.messages}) == ["a", "b", "c", "d"]
        assert len({one.delivery for one in found.messages}) == 4
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
    assert discord.identified == identified
    assert discord.faults == []
