import os
import socket
from pathlib import Path

import httpx
import pytest

from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.serving import (
    CHAT,
    Served,
    serving,
    telegram_folder,
    until,
    write_configuration,
)
from tests.stubs.telegram import TelegramStub

pytestmark = pytest.mark.langgraph


def shown(telegram: TelegramStub) -> list[str]:
    """List the bot's posts in the chat."""
    return [one.text for one in telegram.shown(CHAT) if one.by_bot]


def test_ctrl_c_drains_and_the_next_start_goes_on(tmp_path: Path, demo_server: AgentServer) -> None:
    """Ctrl-C during a run ends with status 0 and loses nothing: the run is followed on, once."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, agent) as served:
            assert httpx.get(served.url).text.startswith("This is Threadline.")
            served.deliver(telegram.say(CHAT, "sleep 6"))
            served.says("run_created")
            assert served.interrupt() == 0
            assert any("Stopping" in line for line in served.said)
            assert "Slept" not in "".join(shown(telegram))
        assert not (root / ".threadline" / "serve.json").exists()
        with serving(root, agent) as served:
            until(lambda: "Slept for 6 seconds." in shown(telegram), "the answer")
            served.says("run_ended")
            assert shown(telegram) == ["Slept for 6 seconds."]
            assert served.interrupt() == 0


def test_an_answer_told_as_events_grows_on_after_a_restart(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """Stopped in the middle of a message, the next `serve` goes on in that message."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        agent = f"agents: {{mine: {{url: '{demo_server.url}', event_streaming: true}}}}\n"
        write_configuration(root, telegram, "webhook", agent)
        with serving(root) as served:
            served.deliver(telegram.say(CHAT, "long 12"))
            until(lambda: "Paragraph 2" in "".join(shown(telegram)), "the beginning")
            assert served.interrupt() == 0
        (cut,) = shown(telegram)
        assert "Paragraph 12" not in cut
        with serving(root) as served:
            until(lambda: len("".join(shown(telegram))) > len(cut) + 100, "further words")
            (more,) = shown(telegram)
            assert more.startswith(cut.rstrip("… ")[:200])
            served.says("run_ended")
            until(lambda: "Paragraph 12" in "".join(shown(telegram)), "the end")
            assert "".join(shown(telegram)).count("Paragraph 1.") == 1
            assert served.interrupt() == 0


def test_the_demo_agent_comes_and_goes_with_serve(tmp_path: Path) -> None:
    """Without an agent of one's own a real one is started; kill -9 of `serve` ends it too."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root) as served:
            line = served.says("Agent demo at http://127.0.0.1:")
            url = line.split(" at ")[1].split()[0]
            assert httpx.get(f"{url}/ok").status_code == 200
            served.deliver(telegram.say(CHAT, "hello"))
            until(lambda: "You said: hello" in shown(telegram), "the answer")
            served.kill()
        until(lambda: not answers(url), "the end of the demo agent")


def test_a_dead_demo_agent_is_started_again(tmp_path: Path) -> None:
    """When the agent dies `serve` says so, starts it again and goes on with it."""
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root) as served:
            served.says("Agent demo at", "answers")
            os.kill(child_of(served, "langgraph"), 9)
            served.says("the demo agent ended with status")
            served.deliver(telegram.say(CHAT, "are you back"))
            until(lambda: "You said: are you back" in shown(telegram), "the answer")
            assert served.interrupt() == 0


def test_an_agent_of_ones_own_is_waited_for(tmp_path: Path) -> None:
    """An unreachable agent is said in one line; what was accepted is answered when it comes."""
    with TelegramStub(edit_interval=0) as telegram, agent_server(tmp_path / "agent") as own:
        own.kill()
        root = telegram_folder(tmp_path / "root", telegram)
        with serving(root, {"THREADLINE_AGENT_URL": own.url}) as served:
            line = served.says("cannot be used")
            assert own.url in line
            served.deliver(telegram.say(CHAT, "anybody there"))
            served.says("agent_down")
            own.restart()
            until(lambda: "You said: anybody there" in shown(telegram), "the answer")
            served.says("answers with its assistant demo")
            assert len([one for one in served.said if "cannot be used" in one]) == 1


def test_one_folder_has_one_serve(tmp_path: Path, demo_server: AgentServer) -> None:
    """A second `serve` on the same folder ends with one line that says where the first is."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with serving(tmp_path, agent) as first:
        url = first.url
        with serving(tmp_path, agent) as second:
            assert second.process.wait(60) != 0
            second.listener.join(60)
            (line,) = second.said
            assert f"{first.process.pid}, {url}" in line


def test_a_taken_port_means_the_next_one(tmp_path: Path, demo_server: AgentServer) -> None:
    """With its port taken `serve` takes another, says so, and can be reached there."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        agent = {"THREADLINE_AGENT_URL": demo_server.url}
        with serving(tmp_path, agent, port=port) as served:
            assert served.url in served.says(f"Port {port} is taken")
            assert httpx.post(f"{served.url}/webhooks/nobody").status_code == 404


def test_the_configuration_may_change_while_serve_runs(
    tmp_path: Path, demo_server: AgentServer
) -> None:
    """A change takes effect without a restart; a file with faults is said and changes nothing."""
    agent = {"THREADLINE_AGENT_URL": demo_server.url}
    with TelegramStub(edit_interval=0) as telegram:
        root = telegram_folder(tmp_path, telegram)
        with serving(root, agent) as served:
            served.says("telegram", "on")
            write_configuration(root, telegram, "webhook", "langauge: zh\n")
            served.says("langauge")
            served.deliver(telegram.say(CHAT, "still there"))
            until(lambda: "You said: still there" in shown(telegram), "the answer")
            write_configuration(root, telegram, "webhook", "language: zh\n")
            served.says("Threadline at", times=2)
            served.deliver(telegram.say(CHAT, "/status"))
            until(lambda: "当前没有正在运行的任务" in shown(telegram)[-1], "Chinese")


def answers(url: str) -> bool:
    """Tell whether somebody answers there."""
    try:
        httpx.get(f"{url}/ok", timeout=2)
    except httpx.TransportError:
        return False
    return True


def child_of(served: Served, name: str) -> int:
    """Find the process that `serve` started, under its watchdog, by its command line."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            grandparent = int(
                Path(f"/proc/{parent}/stat").read_text().rpartition(")")[2].split()[1]
            )
        except (FileNotFoundError, ProcessLookupError, IndexError):
            continue
        if grandparent == served.process.pid and any(name.encode() in word for word in words):
            return int(folder.name)
    raise LookupError(name)
