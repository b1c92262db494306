"""`threadline serve` with a Discord bot: a token alone, a thread, a kill in mid-conversation."""

import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import Served, serving, until
from tests.stubs.discord import ADA_DM, BOT, GENERAL, TOKEN, DiscordStub
from tests.stubs.discord_server import DiscordServer

pytestmark = pytest.mark.langgraph
KILLS = 4
AT_ONCE = 3


def new_bot(root: Path, discord: DiscordServer, more: str = "") -> Path:
    """Make a folder whose Discord bot answers whoever was let in."""
    (root / "threadline.yaml").write_text(
        f"platforms: {{discord: {{{more}apps: {{default: {{base_url: '{discord.url}'}}}}}}}}\n"
    )
    folder = root / ".threadline"
    folder.mkdir(mode=0o700)
    secrets = folder / "secrets.json"
    secrets.touch(mode=0o600)
    secrets.write_text(json.dumps({"discord/default": {"bot_token": TOKEN}}))
    return root


def telling(discord: DiscordServer) -> Callable[..., str]:
    """Give what lets Ada write so that every session hears of it; its id is given back."""

    def tell(channel: str, text: str) -> str:
        message = discord.stub.say(channel, text)
        for kind, about in discord.stub.told:
            if kind == "THREAD_CREATE":
                discord.tell(kind, about)
        discord.stub.told.clear()
        discord.tell("MESSAGE_CREATE", message)
        return str(message["id"])

    return tell


def test_a_new_bot_answers_in_threads_also_after_a_kill(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """A token is all it takes; the thread goes on when the process was killed in between."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with DiscordServer(DiscordStub()) as discord:
        stub, tell = discord.stub, telling(discord)
        root = new_bot(tmp_path, discord)
        with serving(root, agent) as served:
            code = served.says("/start ").strip()
            served.says("discord/default is connected")
            tell(ADA_DM, "let me in")
            until(lambda: any("may not talk" in one for one in stub.shown(ADA_DM)), "a no")
            tell(ADA_DM, code)
            until(lambda: any("You are in" in one for one in stub.shown(ADA_DM)), "the welcome")
            thread = tell(GENERAL, f"<@{BOT}> hello from the channel")
            until(lambda: any("hello from" in one for one in shown(stub, thread)), "the answer")
            served.process.kill()
        discord.drop()
        tell(thread, "and what now?")
        with serving(root, agent):
            until(lambda: any("what now" in one for one in shown(stub, thread)), "the answer")
        answers = [one for one in shown(stub, thread) if "You said" in one]
        assert len(answers) == 2
        assert TOKEN not in "".join(served.said)


def test_killed_again_and_again_every_question_is_answered_once(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """`serve` killed with -9 at any moment, four times: each question has one answer at the end."""
    chance, agent = random.Random(20_261_130), {"THREADLINE_AGENT_URL": demo_server.url}
    with DiscordServer(DiscordStub()) as discord:
        tell, asked = telling(discord), dict[str, str]()
        root = new_bot(tmp_path, discord, "allow: everyone, ")

        def ask(pause: float = 0.0) -> None:
            text = f"question {len(asked)}"
            asked[tell(GENERAL, f"<@{BOT}> {text}")] = text
            time.sleep(pause)

        def answered() -> dict[str, str]:
            said = {one: shown(discord.stub, one) for one in asked}
            return {one: texts[0].rpartition(": ")[2] for one, texts in said.items() if texts}

        served = Served.start(root, agent)
        try:
            served.says("discord/default is connected")
            for _ in range(KILLS):
                for _ in range(AT_ONCE):
                    ask(chance.random() * 1.2)
                served.kill()
                for _ in range(AT_ONCE):
                    ask()
                time.sleep(chance.random())
                served = Served.start(root, agent)
                served.says("discord/default is connected")
            until(lambda: answered() == asked, lambda: str(answered()))
            time.sleep(3)
            assert [len(shown(discord.stub, one)) for one in asked] == [1] * len(asked)
            assert discord.identified == 1
        finally:
            assert served.interrupt() == 0


def shown(stub: DiscordStub, channel: str) -> list[str]:
    """Give what the bot said in a channel that may not be there yet."""
    return stub.shown(channel) if channel in stub.channels else []
