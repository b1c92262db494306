import json
import signal
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import CHAT, serving, telegram_folder, until
from tests.stubs.telegram import BOT, TelegramStub

pytestmark = pytest.mark.langgraph


def new_bot(root: Path, telegram: TelegramStub) -> Path:
    """Write what a person has who just got a bot token: the token, and nothing else."""
    telegram_folder(root, telegram, "polling")
    (root / "threadline.yaml").write_text(
        f"platforms: {{telegram: {{apps: {{default: {{base_url: '{telegram.url}'}}}}}}}}\n"
    )
    secrets = root / ".threadline" / "secrets.json"
    secrets.write_text(json.dumps({"telegram/default": {"bot_token": telegram.token}}))
    return root


def posts(telegram: TelegramStub) -> list[str]:
    """List the bot's posts in the chat."""
    return [one.text for one in telegram.shown(CHAT) if one.by_bot]


def test_a_new_bot_answers_whoever_was_let_in(tmp_path: Path, demo_server: AgentServer) -> None:
    """With a token alone: the bot is named, `/start CODE` lets its sender in, others stay out."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = new_bot(tmp_path, telegram)
        with serving(root, agent) as served:
            assert f"@{BOT['username']}" in served.says("Nobody may talk to telegram/default")
            code = served.says("/start ").strip()
            telegram.say(CHAT, "let me in")
            until(lambda: any("may not talk to you" in one for one in posts(telegram)), "a no")
            telegram.say(CHAT, code)
            until(lambda: any("You are in" in one for one in posts(telegram)), "the welcome")
            telegram.say(CHAT, "hello from the phone")
            until(lambda: "You said: hello from the phone" in posts(telegram), "the answer")
            served.says("run_ended")
            assert served.interrupt() == 0
            text = "".join(served.said) + logged(root)
            assert telegram.token not in text
            assert "from the phone" not in text
        before = posts(telegram)
        with serving(root, agent) as served:
            telegram.say(CHAT, "again")
            until(lambda: "You said: again" in posts(telegram), "the answer")
            assert posts(telegram) == [*before, "You said: again"]
            assert not any("/start" in line for line in served.said)


def test_a_token_with_a_webhook_is_said_with_the_way_out(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """A refusal to be polled is one line with a command; without the webhook polling goes on."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        telegram.webhook = "https://elsewhere.example.com"
        with serving(new_bot(tmp_path, telegram), agent) as served:
            line = served.says("a webhook is registered for this bot")
            assert "threadline webhook delete telegram" in line
            telegram.webhook = ""
            served.says("telegram/default is polled")


def logged(root: Path) -> str:
    """Give everything that was written to the log."""
    return "".join(path.read_text() for path in (root / ".threadline" / "log").iterdir())


def test_the_second_ctrl_c_ends_at_once(tmp_path: Path, demo_server: AgentServer) -> None:
    """While it drains, another Ctrl-C ends the process, and what was accepted is still answered."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, agent) as served:
            served.deliver(telegram.say(CHAT, "sleep 5"))
            served.says("run_created")
            served.process.send_signal(signal.SIGINT)
            served.says("Stopping")
            served.process.send_signal(signal.SIGINT)
            assert served.process.wait(30) in {0, 130}
        with serving(root, agent):
            until(lambda: "Slept for 5 seconds." in posts(telegram), "the answer")
