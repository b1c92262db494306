"""`threadline setup` beside `serve`: until a person is answered, or with an honest end."""

import json
import signal
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import (
    CHAT,
    command,
    serving,
    telegram_folder,
    until,
)
from tests.pipeline.setting import setting
from tests.pipeline.test_serve_polling import new_bot, posts
from tests.stubs.telegram import TelegramStub

pytestmark = pytest.mark.langgraph


def test_a_new_bot_is_set_up_until_it_answers(tmp_path: Path, demo_server: AgentServer) -> None:
    """It says what is missing, lets its sender in, and says that it works once they are answered.

    Begun before `serve`, and before there is a token.
    """
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = new_bot(tmp_path, telegram)
        secrets = root / ".threadline" / "secrets.json"
        given = secrets.read_text()
        secrets.unlink()
        with setting(root, "telegram") as run:
            run.says("/newbot")
            code = run.says("/start ").strip()
            run.says("Not yet: nothing runs in this folder", "threadline serve")
            run.says("Not yet: telegram is off: no bot_token")
            secrets.write_text(given)
            secrets.chmod(0o600)
            with serving(root, agent) as served:
                run.says("ok  telegram account: is ThreadlineDemoBot")
                served.says("is polled")
                telegram.say(CHAT, "let me in")
                run.says("It works: a delivery arrived and was taken")
                run.says("not_allowed")
                run.says("It led to no answer, for the reason above")
                telegram.say(CHAT, code)
                run.says("Its sender is let in")
                telegram.say(CHAT, "hello")
                assert run.ends() == 0
                until(lambda: "You said: hello" in posts(telegram), "the answer")
        told = run.text
        assert told.rstrip().endswith("telegram works.")
        assert telegram.token not in told


def test_a_webhook_that_is_refused_says_why(tmp_path: Path, demo_server: AgentServer) -> None:
    """A wrong secret is told as what it is, with what to do; then a right one counts."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        telegram.webhook = "https://old.example.com/hook"
        with (
            serving(root, agent) as served,
            setting(root, "telegram", "--url", "https://chat.example.com") as run,
        ):
            run.says("Have messages sent to https://chat.example.com/webhooks/telegram")
            run.says("!!  telegram webhook: is registered as https://old.example.com/hook")
            served.deliver(telegram.say(CHAT, "hello"), secret="of-somebody-else")
            run.says("Refused, signature_invalid", "compare the secret on both sides")
            run.says("threadline secrets set telegram")
            served.deliver(telegram.say(CHAT, "hello"))
            assert run.ends() == 0


def test_waiting_ends_by_ctrl_c_and_by_time(tmp_path: Path) -> None:
    """Ctrl-C ends it with what was seen so far and 130; time running out with 1."""
    with TelegramStub() as telegram:
        root = telegram_folder(tmp_path, telegram, "polling")
        with setting(root, "telegram") as run:
            run.says("Waiting for the first delivery, 900 s at most; Ctrl-C ends it.")
            run.process.send_signal(signal.SIGINT)
            assert run.ends() == 130
        assert run.text.rstrip().endswith("Nothing arrived for telegram.")
        ended = command(root, "setup", "telegram", "--wait", "0.5")
        assert ended.returncode == 1
        assert "Nothing arrived for telegram." in ended.stdout
        assert "Traceback" not in ended.stdout + ended.stderr
        assert json.loads((root / ".threadline" / "secrets.json").read_text())
