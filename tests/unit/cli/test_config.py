from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command
from threadline.app.configure.schema import schema_text
from threadline.cli.meaning import who
from threadline.core.settings import Allow

FILE = """
agents: {coder: {url: http://a, assistant_id: graph}, chat: {url: http://b}}
bindings:
  code:
    platform: github
    agent: coder
    repositories: [acme/widgets]
    triggers: {issues: {actions: [opened, labeled]}}
  team: {platform: telegram, agent: chat, chats: [-100], allow: {senders: [1]}, rate: 5}
  rest: {platform: telegram, agent: chat}
"""


def test_without_a_file_the_defaults_are_told(threadline: Command, folder: Path) -> None:
    """Nothing has to be there, and looking leaves nothing behind."""
    ended = threadline("config", "check")
    assert ended.code == 0
    assert ended.out.startswith("threadline.yaml: not there, so everything is at its default")
    assert "demo: the demo agent of `make run`" in ended.out
    assert "no bot_token: threadline secrets set telegram" in ended.out
    assert list(folder.iterdir()) == []


def test_what_the_file_means_is_told(threadline: Command, folder: Path) -> None:
    """Agents, who answers where, who may talk, and which platforms are on."""
    (folder / "threadline.yaml").write_text(FILE)
    threadline("secrets", "set", "telegram", stdin="bot_token=1:x\n")
    told = threadline("config", "check").out
    for line in (
        "threadline.yaml: no faults\n",
        "  coder: http://a, assistant graph\n",
        "  chat: http://b, its only assistant\n",
        "  code: github/default, acme/widgets: agent coder\n    may talk: members\n",
        "to mention: @coder, on issues (labeled, opened)\n",
        "  team: telegram/default, -100: agent chat\n    may talk: 1\n",
        "at most 5 messages a minute",
        "  rest: telegram/default, every other chat: agent chat\n",
        "    may talk: whoever was let in by a code\n",
    ):
        assert line in told
    assert any(line.split()[:2] == ["telegram", "on"] for line in told.splitlines())


def test_every_fault_is_printed_and_the_code_is_2(threadline: Command, folder: Path) -> None:
    """Faults go to standard error, each with its file and line."""
    path = folder / "other.yaml"
    path.write_text("langage: en\nstage: Dev\n")
    ended = threadline("config", "check", str(path))
    assert (ended.code, ended.out) == (2, "")
    assert [line.split(": ")[0] for line in ended.err.splitlines()] == [f"{path}:1", f"{path}:2"]


@pytest.mark.parametrize(("name", "why"), [("missing.yaml", "No such file"), (".", "directory")])
def test_a_file_that_cannot_be_read(threadline: Command, name: str, why: str) -> None:
    """What is not a file that can be read is a fault, not a stack trace."""
    ended = threadline("config", "check", name)
    assert ended.code == 2
    assert ended.err.startswith(f"{name}: cannot be read: ")
    assert why in ended.err


def test_a_huge_file_is_not_read_whole(threadline: Command, folder: Path) -> None:
    """A file of a terabyte is refused at once."""
    with (folder / "threadline.yaml").open("wb") as file:
        file.truncate(2**40)
    ended = threadline("config", "check")
    assert ended.code == 2
    assert "larger than 256,000 bytes" in ended.err


def test_the_environment_is_taken_into_account(
    threadline: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check sees the agent that `serve` would use."""
    monkeypatch.setenv("THREADLINE_AGENT_URL", "http://10.0.0.5:2024")
    assert "default: http://10.0.0.5:2024" in threadline("config", "check").out


def test_the_schema_is_printed(threadline: Command) -> None:
    """What is printed can be written to docs/ as it is."""
    assert threadline("config", "schema").out == schema_text()


@pytest.mark.parametrize(
    ("allow", "words"),
    [
        (Allow(), "nobody"),
        (Allow(everyone=True, senders=frozenset({"1"})), "everybody"),
        (Allow(members=True, admitted=True), "members, whoever was let in by a code"),
        (
            Allow(chats=frozenset({"-5"}), bots=frozenset({"b", "a"})),
            "everybody in -5, bots a, b",
        ),
        (Allow(senders=frozenset("1234567")), "1, 2, 3, 4, 5 and 2 more"),
    ],
)
def test_who_may_talk_in_words(allow: Allow, words: str) -> None:
    """A list is told so that a person sees at once whom it lets in."""
    assert who(allow) == words


def test_pushing_wants_a_stack(threadline: Command) -> None:
    """Without the name of a stack nothing is pushed, and the way is told."""
    ended = threadline("config", "push")
    assert ended.code == 1
    assert "threadline config push --stack NAME" in ended.err


def test_what_runs_here_is_not_run_on_a_stack(threadline: Command) -> None:
    """A command that works on this folder alone says so, wherever the stack is named."""
    for words in (("--stack", "x", "serve"), ("serve", "--stack=x")):
        ended = threadline(*words)
        assert ended.code == 1
        assert "not on a stack" in ended.err
