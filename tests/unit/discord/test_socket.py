"""The gateway on a real connection to a strict Discord: nothing is lost and nothing comes twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from long_running.sockets.state import Phase
from tests.stubs.discord import ADA_DM, BOT, GENERAL, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.unit.discord.holding import Found, eventually, held, kept, opened, process


@pytest.fixture
def discord() -> Iterator[DiscordServer]:
    """A server with a channel and a direct one."""
    with DiscordServer(DiscordStub()) as server:
        yield server


def say(discord: DiscordServer, text: str, channel: str = ADA_DM) -> None:
    """Let Ada write, and every session hear of it."""
    discord.tell("MESSAGE_CREATE", discord.stub.say(channel, text))


def test_what_is_written_arrives(tmp_path: Path, discord: DiscordServer) -> None:
    """A message goes through the connection into its mailbox, by the same parse as a webhook."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        say(discord, "hello")
        found = Found(ports)
        eventually(lambda: found.texts(1))
        assert [(one.text, one.private) for one in found.messages] == [("hello", True)]
    assert discord.faults == []


def test_a_cut_connection_loses_nothing(tmp_path: Path, discord: DiscordServer) -> None:
    """What is written while the connection is down is told again, in order, and comes once."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        found = Found(ports)
        for number in range(3):
            say(discord, f"before {number}")
            discord.drop()
            say(discord, f"while {number}")
            eventually(lambda: discord.connected)
        eventually(lambda: found.texts(6))
        wanted = [f"{when} {number}" for number in range(3) for when in ("before", "while")]
        assert [one.text for one in found.messages] == wanted
    assert discord.identified == 1
    assert discord.resumed >= 3


def test_a_lost_session_is_made_up_for(tmp_path: Path, discord: DiscordServer) -> None:
    """Where Discord has forgotten the session, what was written is read from the channels."""
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        say(discord, "first")
        found = Found(ports)
        eventually(lambda: found.texts(1))
        discord.drop()
        discord.forget()
        discord.stub.say(ADA_DM, "unheard")
        discord.stub.say(GENERAL, f"<@{BOT}> unheard, too")
        eventually(lambda: found.texts(3))
        assert {one.text for one in found.messages} == {"first", "unheard", "unheard, too"}
        assert {one.workspace for one in found.messages if not one.private} == {
            "1170000000000000001"
        }
    assert discord.identified == 2


def test_a_restart_loses_nothing(tmp_path: Path, discord: DiscordServer) -> None:
    """A task that is stopped leaves its session standing, and the next one goes on with it."""
    with opened(tmp_path, discord) as ports:
        found = Found(ports)
        with held(ports):
            eventually(lambda: discord.connected)
            say(discord, "before")
            eventually(lambda: found.texts(1))
        say(discord, "meanwhile")
        with held(ports):
            eventually(lambda: found.texts(2))
            say(discord, "after")
            eventually(lambda: found.texts(3))
    assert [one.text for one in found.messages] == ["before", "meanwhile", "after"]
    assert (discord.identified, discord.resumed) == (1, 1)


def test_a_killed_process_loses_nothing(tmp_path: Path, discord: DiscordServer) -> None:
    """Killed with -9 between messages, the next process goes on where the kept sequence stands."""
    with opened(tmp_path, discord) as ports:
        found = Found(ports)
        with process(tmp_path) as task:
            eventually(lambda: discord.connected)
            for number in range(3):
                say(discord, f"first {number}")
            eventually(lambda: found.texts(3) and kept(ports).get("session"))
            say(discord, "in the middle")
            task.kill()
            task.wait()
        discord.drop()
        for number in range(3):
            say(discord, f"while nobody {number}")
        with process(tmp_path):
            eventually(lambda: found.texts(7))
            say(discord, "afterwards")
            eventually(lambda: found.texts(8))
    texts = [one.text for one in found.messages]
    assert sorted(texts) == sorted(set(texts))
    assert texts[-4:] == ["while nobody 0", "while nobody 1", "while nobody 2", "afterwards"]


@pytest.mark.parametrize(("code", "says"), [(4004, "Reset Token"), (4014, "Message Content")])
def test_a_refusal_says_what_to_click(
    tmp_path: Path, discord: DiscordServer, code: int, says: str
) -> None:
    """Where trying again is no use, the state names what a person has to do."""
    discord.refuses = code
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.REFUSED)
        assert says in socket.state.why


def test_signs_of_life_are_given_and_awaited(tmp_path: Path, discord: DiscordServer) -> None:
    """Heartbeats carry the last sequence number, at the pace that HELLO asked for."""
    discord.heartbeat = 1000
    with opened(tmp_path, discord) as ports, held(ports) as socket:
        eventually(lambda: socket.state.phase is Phase.CONNECTED)
        eventually(lambda: len(discord.beats) >= 2)
    assert discord.beats[-1] == 2
