"""`threadline agent` at a real LangGraph Server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.langgraph_talk import Talk
from tests.unit.cli.configured import keep
from tests.unit.cli.conftest import Command, command
from threadline.core.agent import RunStatus
from threadline.core.ids import ConversationKey, MailboxKey, OwnerId, ThreadId
from threadline.core.records import Conversation

pytestmark = pytest.mark.langgraph

KEY = "telegram/default//77/"


@pytest.fixture
def talk(demo_server: AgentServer, tmp_path: Path) -> Iterator[Talk]:
    """A conversation on a thread of its own."""
    talk = Talk.open(demo_server.url, tmp_path / "blobs")
    yield talk
    talk.close()


@pytest.fixture
def threadline(
    talk: Talk,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Command:
    """Run the command where a conversation on that thread stands."""
    monkeypatch.chdir(tmp_path)
    source = (
        f"agents: {{demo: {{dialect: langgraph, url: '{talk.url}'}}}}\n"
        "bindings: {chat: {platform: telegram}}\n"
    )
    keep(tmp_path, source, conversation(talk.thread))
    return command(monkeypatch, capsys)


def conversation(thread: ThreadId) -> Conversation:
    """An idle conversation on a thread."""
    return Conversation(
        key=ConversationKey(KEY), mailbox=MailboxKey("telegram/default/77"), platform="telegram",
        app="default", workspace="", chat="77", topic="", owner=OwnerId("telegram-77"),
        thread=thread,
    )  # fmt: skip


def test_runs_are_listed_newest_first(talk: Talk, threadline: Command) -> None:
    """Each run stands with its status, its age and its turn, by key and by thread id."""
    first = talk.start("one", turn="turn-of-one")
    talk.ended(*first)
    second = talk.start("boom kettle")
    talk.ended(*second)
    for which in (KEY, talk.thread):
        ended = threadline("agent", "runs", which)
        assert ended.code == 0, ended.err
        newest, oldest = ended.out.splitlines()[-2:]
        assert newest.split()[:2] == [second[1], "error"]
        assert oldest.split()[:2] == [first[1], "success"]
        assert oldest.endswith("turn turn-of-one")
        assert "ago" in oldest


def test_a_run_is_cancelled(talk: Talk, threadline: Command) -> None:
    """The run that goes on is cancelled at the server; then there is nothing to cancel."""
    turn, run = talk.start("sleep 60")
    talk.wait_until(lambda: talk.status(run) is RunStatus.RUNNING)
    ended = threadline("agent", "cancel", KEY, "--yes")
    assert ended.code == 0, ended.err
    assert ended.out.endswith(f"Run {run} is cancelled.\n")
    assert talk.ended(turn, run).status is RunStatus.INTERRUPTED
    assert "nothing runs on thread" in threadline("agent", "cancel", KEY, "--yes").err


def test_a_question_is_shown_with_what_comes_next(talk: Talk, threadline: Command) -> None:
    """State tells the messages, the node that waits and what it asks."""
    talk.say("hello there")
    talk.say("ask Which size?")
    ended = threadline("agent", "state", KEY)
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[2:] == [
        "3 messages",
        "  human: hello there",
        "  ai: You said: hello there",
        "  human: ask Which size?",
        "next: answer",
        "waits with the question: Which size?",
    ]


def test_an_unknown_thread_is_told(threadline: Command) -> None:
    """A thread that the server lost, and an id that is none, are told with what to do."""
    lost = threadline("agent", "runs", KEY)
    assert lost.code == 1
    assert "the next message begins a new thread" in lost.err
    none = threadline("agent", "state", "not-a-thread")
    assert none.code == 1
    assert "This is no id of a thread at that agent" in none.err
