import json
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import CHAT, command, serving, telegram_folder
from tests.stubs.telegram import TelegramStub

pytestmark = pytest.mark.langgraph
EVENTS = Path(__file__).resolve().parents[2] / "events" / "telegram"


def test_a_recorded_delivery_is_replayed_and_explained(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """Replay signs, sends, follows and judges; explain tells the same journey afterwards."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            assert served.url
            fresh = command(root, "replay", str(EVENTS / "message.private.json"))
            assert fresh.returncode == 0, fresh.stdout + fresh.stderr
            for step in ("answered 200", "run_created", "run_ended", "Ended as expected."):
                assert step in fresh.stdout
            request = fresh.stdout.split("(request ")[1].split(")")[0]
            again = command(root, "explain", request)
            assert again.returncode == 0
            assert "run_ended" in again.stdout

            ignored = command(root, "replay", str(EVENTS / "message.own.json"))
            assert ignored.returncode == 0, ignored.stdout
            assert "own_message" in ignored.stdout


def test_the_same_delivery_is_a_duplicate(tmp_path: Path, demo_server: AgentServer) -> None:
    """With --same nothing new happens the second time, and the first time is no success."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        recent = recent_copy(tmp_path, telegram)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            assert served.url
            first = command(root, "replay", "--same", str(recent))
            assert first.returncode == 1, first.stdout
            assert "is no duplicate" in first.stdout
            second = command(root, "replay", "--same", str(recent))
            assert second.returncode == 0, second.stdout


def test_another_end_than_expected_is_said(tmp_path: Path, demo_server: AgentServer) -> None:
    """An expectation that is not met gives status 1 and says what was different."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        event = (EVENTS / "message.private.json").read_text()
        (tmp_path / "case.json").write_text(event)
        (tmp_path / "case.expect.json").write_text('{"outcome": "ignored", "reason": "x"}')
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            assert served.url
            done = command(root, "replay", str(tmp_path / "case.json"))
            assert done.returncode == 1
            assert "outcome is accepted, expected ignored" in done.stdout


def test_what_was_refused_can_be_explained(tmp_path: Path, demo_server: AgentServer) -> None:
    """A forged delivery reached no table; the id in its answer still tells why it was refused."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, {"THREADLINE_AGENT_URL": demo_server.url}) as served:
            answer = served.deliver(telegram.say(CHAT, "hi"), secret="wrong")
            assert answer.status_code == 401
            told = command(root, "explain", answer.headers["apigw-requestid"])
            assert told.returncode == 0
            assert "signature_invalid" in told.stdout
            unknown = command(root, "explain", "nobody-knows-this")
            assert unknown.returncode == 1
            assert "What to check" in unknown.stdout
            assert "signature_invalid" in unknown.stdout


def test_without_serve_replay_says_what_to_start(tmp_path: Path) -> None:
    """No traceback where nothing runs, but one line."""
    words = ("replay", str(EVENTS / "message.private.json"))
    never = command(tmp_path, *words)
    (tmp_path / ".threadline").mkdir()
    stopped = command(tmp_path, *words)
    assert (never.returncode, stopped.returncode) == (1, 1)
    assert never.stderr.endswith("was never started in this folder\n")
    assert stopped.stderr.endswith("threadline serve\n")
    assert never.stderr.count("\n") == stopped.stderr.count("\n") == 1


def recent_copy(folder: Path, telegram: TelegramStub) -> Path:
    """Write a recorded event of a message of today, which is not too old to be answered."""
    event = json.loads((EVENTS / "message.private.json").read_text())
    event["body"] = json.dumps(telegram.say(CHAT, "once"))
    (folder / "recent.json").write_text(json.dumps(event))
    return folder / "recent.json"
