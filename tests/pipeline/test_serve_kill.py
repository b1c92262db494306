from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.serving import CHAT, serving, telegram_folder, until
from tests.stubs.telegram import TelegramStub
from threadline.core.texts import say

pytestmark = pytest.mark.langgraph


def answers(telegram: TelegramStub, text: str) -> list[str]:
    """List what the bot shows in the chat that has the text."""
    return [one.text for one in telegram.shown(CHAT) if text in one.text and one.by_bot]


def test_what_was_accepted_before_a_kill_is_answered_after_it(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """Kill -9 right after the 200: the message is answered after the restart, once."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, agent) as served:
            assert served.deliver(telegram.say(CHAT, "kept over the kill")).status_code == 200
            served.kill()
        with serving(root, agent) as served:
            until(lambda: answers(telegram, "You said: kept over the kill"), "the answer")
            served.says("run_ended")
            assert len(answers(telegram, "kept over the kill")) == 1


def test_a_run_under_way_is_taken_up_after_a_kill(tmp_path: Path, demo_server: AgentServer) -> None:
    """Kill -9 while the agent works: whoever starts next follows the run to its end, once."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, agent) as served:
            served.deliver(telegram.say(CHAT, "sleep 4"))
            served.says("run_created")
            served.says("post", "sent")  # written down: one in doubt would stay beside the answer
            served.kill()
        with serving(root, agent) as served:
            until(lambda: answers(telegram, "Slept for 4 seconds."), "the answer")
            served.says("run_ended")
            assert [one.text for one in telegram.shown(CHAT)] == ["sleep 4", "Slept for 4 seconds."]


def test_a_kill_that_takes_the_agent_along_leaves_nobody_waiting(tmp_path: Path) -> None:
    """The demo agent ends with a killed `serve`; after the restart the person gets a last word."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root) as served:
            served.deliver(telegram.say(CHAT, "sleep 5"))
            served.says("run_created")
            served.says("post", "sent")  # written down: one in doubt would stay beside the answer
            served.kill()
        with serving(root) as served:
            served.says("run_ended")
            last = {"Slept for 5 seconds.", say("run_vanished", "en")}
            until(lambda: any(one.text in last for one in telegram.shown(CHAT)), "a last word")
            assert len([one for one in telegram.shown(CHAT) if one.by_bot]) == 1
            served.deliver(telegram.say(CHAT, "and now"))
            until(lambda: answers(telegram, "You said: and now"), "the next answer")
