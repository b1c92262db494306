import getpass
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import get_args

import pytest

from tests.unit.cli.conftest import Command
from threadline import wiring
from threadline.app.configure.kinds import KINDS
from threadline.app.configure.shapes import AgentShape
from threadline.backends.clock import SystemClock
from threadline.backends.files import FileSecrets
from threadline.cli.main import main
from threadline.core.platform import ReceivesHttp
from threadline.core.socket import HoldsSocket

TOKEN = "123456789:AAE-abcdefghijklmnopqrstuvwxyz0123456"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"

type Stored = Callable[[str], Mapping[str, str]]


def test_secrets_are_stored_and_never_printed(
    threadline: Command, stored: Stored, folder: Path
) -> None:
    """A token given by pipe lies in a file of mode 600; what is printed has names alone."""
    ended = threadline("secrets", "set", "telegram", stdin=f"# mine\n\n bot_token = {TOKEN} \n")
    assert ended.code == 0
    values = stored("telegram/default")
    assert values["bot_token"] == TOKEN
    assert len(values["webhook_secret"]) >= 32
    assert "bot_token, webhook_secret stored in .threadline/secrets.json" in ended.out
    assert "webhook_secret was made here" in ended.out
    assert not any(value in ended.out + ended.err for value in values.values())
    mode = stat.S_IMODE((folder / ".threadline/secrets.json").stat().st_mode)
    assert mode == 0o600


def test_what_is_not_given_is_kept(threadline: Command, stored: Stored) -> None:
    """A second call changes what it names and leaves the rest."""
    threadline("secrets", "set", "github", stdin="token=first\nwebhook_secret=mine\n")
    threadline("secrets", "set", "github", stdin="token=second\n")
    assert stored("github/default") == {"token": "second", "webhook_secret": "mine"}


def test_a_replaced_webhook_secret_stays_valid_for_a_while(
    threadline: Command, stored: Stored
) -> None:
    """The platform still signs with the former value until it is told the new one."""
    threadline("secrets", "set", "github", stdin="webhook_secret=old\n")
    given = threadline("secrets", "set", "github", stdin="webhook_secret=new\n")
    assert stored("github/default") == {"webhook_secret": "new", "webhook_secret.previous": "old"}
    assert "threadline secrets set github/default --end-rotation" in given.out
    threadline("secrets", "set", "github", "--end-rotation")
    assert stored("github/default") == {"webhook_secret": "new"}
    threadline("secrets", "set", "github", "--rotate")
    values = stored("github/default")
    assert values["webhook_secret.previous"] == "new"
    assert values["webhook_secret"] not in {"new", "old"}


@pytest.mark.parametrize(
    ("how", "given"), [(("--rotate",), ""), ((), "token=t\nwebhook_secret=newest\n")]
)
def test_a_third_value_is_refused_until_the_rotation_ends(
    threadline: Command, stored: Stored, how: tuple[str, ...], given: str
) -> None:
    """Of two valid values either may be in use: none ends unasked, and it is said what to do."""
    threadline("secrets", "set", "github", stdin="webhook_secret=old\n")
    threadline("secrets", "set", "github", "--rotate")
    before = stored("github/default")
    ended = threadline("secrets", "set", "github", *how, stdin=given)
    assert (ended.code, ended.out) == (1, "")
    assert "threadline secrets set github/default --end-rotation" in ended.err
    assert stored("github/default") == before
    assert threadline("secrets", "set", "github", stdin="token=t\n").code == 0
    assert threadline("secrets", "set", "github", stdin="webhook_secret=old\n").code == 0
    assert stored("github/default")["webhook_secret"] == "old"
    assert stored("github/default")["webhook_secret.previous"] == before["webhook_secret"]


def test_the_same_value_again_is_no_rotation(threadline: Command, stored: Stored) -> None:
    """Storing what is stored leaves no former value behind."""
    for _ in range(2):
        threadline("secrets", "set", "github", stdin="webhook_secret=old\n")
    assert stored("github/default") == {"webhook_secret": "old"}


def test_nothing_given_is_no_bot(threadline: Command, stored: Stored) -> None:
    """A webhook secret alone is enough for GitHub and nothing for Telegram."""
    assert threadline("secrets", "set", "github").code == 0
    ended = threadline("secrets", "set", "telegram")
    assert (ended.code, ended.out) == (1, "")
    assert "nothing was given for telegram/default" in ended.err
    assert stored("telegram/default") == {}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("sesame", "line 1 is not of the form name=value"),
        ("\nopen=sesame", "line 2 names no secret; write one of: bot_token, webhook_secret"),
        ("bot_token=ses\x07ame", "bot_token holds characters that no such secret has"),
        ("bot_token=sesäme", "bot_token holds characters that no such secret has"),
        ("bot_token=" + "sesame" * 5000, "bot_token holds characters that no such secret has"),
    ],
)
def test_lines_that_cannot_be_read_are_not_repeated(
    threadline: Command, stored: Stored, lines: str, said: str
) -> None:
    """A mistake is told by line and name; what was typed is not printed, and nothing is stored."""
    ended = threadline("secrets", "set", "telegram", stdin=lines)
    assert ended.code == 1
    assert said in ended.err
    assert "ses" not in ended.err.replace("secrets", "")
    assert stored("telegram/default") == {}


def test_a_key_of_several_lines_comes_from_a_file(
    threadline: Command, stored: Stored, folder: Path
) -> None:
    """The path of a key file is enough; a file that is not there is told without its name."""
    (folder / "app.pem").write_text(PEM + "\n")
    threadline("secrets", "set", "github", stdin="app_id=7\nprivate_key=@app.pem\n")
    assert stored("github/default")["private_key"] == PEM
    ended = threadline("secrets", "set", "github", stdin="private_key=hunter2\n")
    assert ended.code == 1
    assert "private_key wants the path of a file that can be read" in ended.err
    assert "hunter2" not in ended.err


def test_a_terminal_is_asked_without_echo(
    threadline: Command, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a terminal each secret is asked for by what it is; an empty answer keeps or makes it."""
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return TOKEN if prompt.startswith("bot token") else ""

    monkeypatch.setattr(getpass, "getpass", answer)
    threadline("secrets", "set", "telegram/work", terminal=True)
    assert asked == [
        "bot token, as @BotFather gave it (empty: leave out): ",
        "webhook secret (empty: make one): ",
    ]
    first = stored("telegram/work")
    assert first["bot_token"] == TOKEN
    asked.clear()
    threadline("secrets", "set", "telegram/work", terminal=True)
    assert all("(empty: keep)" in prompt for prompt in asked)
    assert stored("telegram/work") == first


def test_a_terminal_that_is_closed_stores_nothing(
    threadline: Command, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-D in the middle of the questions changes nothing."""

    def closed(_: str) -> str:
        raise EOFError

    monkeypatch.setattr(getpass, "getpass", closed)
    ended = threadline("secrets", "set", "telegram", terminal=True)
    assert (ended.code, ended.err) == (1, "threadline: no more answers, so nothing was stored\n")
    assert stored("telegram/default") == {}


def test_names_are_listed_and_no_values(threadline: Command) -> None:
    """The list tells what is there by name."""
    assert "no secrets are stored" in threadline("secrets", "list").out
    threadline("secrets", "set", "telegram", stdin=f"bot_token={TOKEN}\n")
    threadline("secrets", "set", "agent/coder", stdin="api_key=sesame\n")
    assert threadline("secrets", "list").out == (
        "agent/coder: api_key, callback\ntelegram/default: bot_token, webhook_secret\n"
    )


@pytest.mark.parametrize(
    ("file", "url", "entry"),
    [
        ("", "", "agent/default"),
        ("", "http://x", "agent/default"),
        ("agents: {coder: {url: http://a}}", "", "agent/coder"),
        ("agents: {coder: {url: http://a}, default: {url: http://b}}", "", "agent/default"),
    ],
)
def test_the_only_agent_need_not_be_named(
    threadline: Command, stored: Stored, folder: Path, monkeypatch: pytest.MonkeyPatch,
    file: str, url: str, entry: str,
) -> None:  # fmt: skip
    """The key goes to the file's only agent, or to the one whose address is given from outside."""
    (folder / "threadline.yaml").write_text(file)
    monkeypatch.setenv("THREADLINE_AGENT_URL", url)
    threadline("secrets", "set", "agent", stdin="api_key=sesame\n")
    assert stored(entry)["api_key"] == "sesame"


def test_of_several_agents_one_must_be_named(threadline: Command, folder: Path) -> None:
    """A key is never given to an agent that was not meant."""
    (folder / "threadline.yaml").write_text("agents: {a: {url: http://a}, b: {url: http://b}}")
    ended = threadline("secrets", "set", "agent", stdin="api_key=sesame\n")
    assert ended.code == 1
    assert "there are several agents; write one of: agent/a, agent/b" in ended.err


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("telegarm", "telegarm has no secrets here; did you mean `telegram`?"),
        ("playground", "playground has no secrets here; write one of: agent, "),
        ("telegram/a b", "a b is no name"),
        ("telegram/../x", "../x is no name"),
    ],
)
def test_an_entry_that_is_none(threadline: Command, entry: str, said: str) -> None:
    """A slip of the pen stores nothing under a name nobody reads."""
    ended = threadline("secrets", "set", entry, stdin="bot_token=x\n")
    assert ended.code == 1
    assert said in ended.err


@pytest.mark.parametrize("platform", [name for name, kind in KINDS.items() if kind.secrets])
def test_what_a_route_needs_can_be_set(platform: str) -> None:
    """What a platform's codec needs is what the webhook wants and what a person is asked for."""
    codec = wiring.platform(platform)
    kind = KINDS[platform]
    if isinstance(codec, ReceivesHttp):
        assert set(codec.secrets_needed) == set(kind.needs["webhook"])
    if isinstance(codec, HoldsSocket):
        assert set(codec.socket_needs) == set(kind.needs[codec.socket_transport])
    assert isinstance(codec, ReceivesHttp | HoldsSocket)
    asked = {one.name for one in kind.secrets}
    assert asked >= {name for names in (*kind.needs.values(), *kind.posts_with) for name in names}


def test_the_platforms_of_the_table_are_those_that_are_wired() -> None:
    """A platform that can be written in the file is one that answers."""
    assert set(KINDS) == set(wiring.PLATFORMS)
    assert set(get_args(AgentShape.model_fields["dialect"].annotation)) == set(wiring.DIALECTS)


class Meanwhile:
    """Standard input whose reader waits while somebody else stores a secret of the same entry."""

    def isatty(self) -> bool:
        """Say that it is a pipe."""
        return False

    def readlines(self, hint: int) -> list[str]:
        """Let the other be done first."""
        elsewhere = FileSecrets(Path(".threadline/secrets.json"), SystemClock())
        kept = elsewhere.get("github/default")
        elsewhere.put("github/default", {**kept, "app_id": "7", "webhook_secret": "of-the-app"})
        return ["token=of-nobody\n"] if hint else []


def test_what_another_stored_while_one_was_asked_stays(
    folder: Path, monkeypatch: pytest.MonkeyPatch, stored: Stored
) -> None:
    """Two operators, or the form of `setup`, may set secrets of one entry at a time."""
    assert folder.is_dir()
    monkeypatch.setattr(sys, "stdin", Meanwhile())
    assert main(["secrets", "set", "github"]) == 0
    assert stored("github/default") == {
        "token": "of-nobody", "app_id": "7", "webhook_secret": "of-the-app",
    }  # fmt: skip
