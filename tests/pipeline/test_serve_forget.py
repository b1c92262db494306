"""Forgetting somebody while `serve` runs, and afterwards."""

from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import CHAT, Served, command, serving, telegram_folder, until
from tests.stubs.telegram import TelegramStub

pytestmark = pytest.mark.langgraph

SAID = "what only salbei said"
OTHER = CHAT + 1
WHOM = f"telegram:{CHAT}"


def answered(telegram: TelegramStub, chat: int, text: str) -> bool:
    """Tell whether the agent's answer stands in a chat."""
    return f"You said: {text}" in [one.text for one in telegram.shown(chat) if one.by_bot]


def write(served: Served, telegram: TelegramStub, chat: int, text: str) -> None:
    """Let a person write, and wait for the answer and the turn's end."""
    assert served.deliver(telegram.say(chat, text)).status_code == 200
    until(lambda: answered(telegram, chat, text), f"an answer to {text}")


def rests(root: Path, *words: str) -> list[str]:
    """Name the files of the state folder in which a word stands."""
    return [
        path.name
        for path in (root / ".threadline").rglob("*")
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


def forgotten(root: Path) -> str:
    """Forget the person once the turn has ended, and give what was printed."""

    def done() -> str:
        ended = command(root, "forget", WHOM, "--threads", "--yes")
        busy = "something is in work" in ended.stderr
        assert busy or ended.returncode == 0, ended.stderr
        return "" if busy else ended.stdout

    return until(done, "the end of the turn")


def test_somebody_is_forgotten_while_it_serves(tmp_path: Path, demo_server: AgentServer) -> None:
    """Whom a running `serve` had answered leaves no byte; others and later messages are served."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        telegram.add_chat(OTHER, "private")
        environ = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(root, environ) as served:
            write(served, telegram, OTHER, "of another")
            write(served, telegram, CHAT, SAID)
            assert "Forgotten." in forgotten(root)
            assert rests(root, SAID, str(CHAT)) == []
            assert str(OTHER) in (root / ".threadline/log/threadline.jsonl").read_text()
            write(served, telegram, OTHER, "goes on")
            write(served, telegram, CHAT, "begins anew")
            assert served.interrupt() == 0
        forgotten(root)
        assert rests(root, "begins anew", str(CHAT)) == []
