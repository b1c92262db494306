"""`threadline setup github` by its form: a button makes the App and brings its secrets."""

import html
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from tests.stubs.github import Fault, GitHubStub
from tests.stubs.github_apps import WEBHOOK_SECRET, App
from tests.stubs.github_state import Answer
from tests.unit.cli.conftest import Command, Ended
from tests.unit.cli.installed import PUBLIC, one_app, store
from threadline.app.configure.compile import FILE_NAME

type Stored = Callable[[str], Mapping[str, str]]


@pytest.fixture
def github(folder: Path) -> Iterator[GitHubStub]:
    """A GitHub with its pages, and an installation that knows no App of it."""
    with GitHubStub() as stub:
        store(folder, one_app("github", stub.url), {})
        yield stub


class Person:
    """Reads what is printed, presses the button, and is led back; `then` is done at a line."""

    def __init__(self, *, then: Mapping[str, Callable[[], object]] | None = None) -> None:
        self.printed: list[str] = []
        self.led_to: list[httpx.Response] = []
        self.then = dict(then or {})

    def reads(self, text: str) -> None:
        """Take a printed line; where it has the page's address, press the button there."""
        self.printed.append(text)
        for said in [one for one in self.then if one in text]:
            self.then.pop(said)()
        if found := re.search(r"http://127\.0\.0\.1:\d+(?= in a browser)", text):
            threading.Thread(target=self._press, args=(found[0],), daemon=True).start()

    def _press(self, url: str) -> None:
        page = httpx.get(url).text
        (action,) = re.findall(r'action="([^"]+)"', page)
        fields = re.findall(r'name="([^"]+)" value="([^"]*)"', page)
        target = html.unescape(action)
        query = dict(httpx.URL(target).params)
        answer = httpx.post(target, data={n: html.unescape(v) for n, v in fields} | query)
        self.led_to.append(httpx.get(answer.headers["location"]))
        if self.led_to[-1].status_code == 502 and (act := self.then.pop("led to 502", None)):
            act()


def registering(
    monkeypatch: pytest.MonkeyPatch, threadline: Command, person: Person, *words: str
) -> Ended:
    """Run setup while a person presses the button."""

    def say(*said: object, **_: object) -> None:
        person.reads(" ".join(map(str, said)))

    monkeypatch.setattr("builtins.print", say)
    return threadline("setup", "github", "--wait", "3", *words)


@pytest.mark.parametrize("organization", ["", "acme"])
def test_the_button_registers_the_app(
    threadline: Command,
    monkeypatch: pytest.MonkeyPatch,
    github: GitHubStub,
    stored: Stored,
    organization: str,
) -> None:
    """The App has our permissions, events and address; its secrets are stored and never shown."""
    person = Person()
    words = ("--organization", organization) if organization else ()
    ended = registering(monkeypatch, threadline, person, *words)
    assert ended.code == 1
    app = github.tokens.app
    assert app.hook["url"] == f"{PUBLIC}/webhooks/github"
    assert app.permissions == {"issues": "write", "pull_requests": "write", "metadata": "read"}
    assert app.owner == ("Organization" if organization else "User")
    kept = stored("github/default")
    assert kept["app_id"] == github.tokens.app_id
    assert kept["webhook_secret"] == WEBHOOK_SECRET
    assert kept["private_key"].strip() == github.tokens.private_key.strip()
    said = "\n".join(person.printed)
    assert "acme-coder[bot] is registered" in said
    assert "https://github.com/apps/acme-coder/installations/new" in said
    assert WEBHOOK_SECRET not in said
    assert "PRIVATE KEY" not in said
    (led_to,) = person.led_to
    assert "acme-coder[bot] is registered" in led_to.text


def test_an_app_that_is_there_is_not_registered_again(
    threadline: Command, folder: Path, github: GitHubStub
) -> None:
    """With an App's secrets in place no form is offered: only its delivery is awaited."""
    kept = {"app_id": "1", "private_key": github.tokens.private_key, "webhook_secret": "of-nobody"}
    store(folder, (folder / FILE_NAME).read_text(), {"github/default": kept})
    ended = threadline("setup", "github", "--wait", "0.1")
    assert "in a browser" not in ended.out
    assert "Waiting for the first delivery" in ended.out


def test_a_name_that_no_organisation_has(threadline: Command, github: GitHubStub) -> None:
    """What cannot be an organisation is refused before anybody is sent anywhere."""
    assert github.url
    ended = threadline("setup", "github", "--organization", "../evil", "--wait", "1")
    assert ended.code == 1
    assert "is no organisation's name" in ended.err


def presses_ctrl_c() -> None:
    """End the command as a person does."""
    os.kill(os.getpid(), signal.SIGINT)


def of_nobody(folder: Path) -> Path:
    """Give the secrets' file, there and as it should be."""
    path = folder / ".threadline/secrets.json"
    path.write_text("{}")
    path.chmod(0o600)
    return path


def test_secrets_that_cannot_be_stored_are_held_until_they_can(
    threadline: Command,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    github: GitHubStub,
    stored: Stored,
) -> None:
    """GitHub gives them once: why they cannot be stored is told, and once that is mended they are.

    Nothing secret is printed.
    """
    monkeypatch.setattr("threadline.cli.by_form.AGAIN", 0.05)
    path = of_nobody(folder)
    person = Person(
        then={
            "in a browser": lambda: path.chmod(0o644),
            "cannot be stored": lambda: path.chmod(0o600),
        }
    )
    ended = registering(monkeypatch, threadline, person)
    said = "\n".join(person.printed)
    assert ended.code == 1
    assert "is registered, but its secrets cannot be stored" in said
    assert "chmod 600" in said
    assert "webhook_secret are stored" in said
    assert stored("github/default")["app_id"] == github.tokens.app_id
    assert not github.tokens.app.codes
    assert WEBHOOK_SECRET not in said
    assert "PRIVATE KEY" not in said


@pytest.mark.parametrize("way", ["Ctrl-C", "in vain"])
def test_secrets_that_could_not_be_stored_are_told_how_to_make_anew(
    threadline: Command,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    github: GitHubStub,
    way: str,
) -> None:
    """Whoever gives up reads what to do at GitHub, and which command stores the outcome."""
    monkeypatch.setattr("threadline.cli.by_form.AGAIN", 0.05)
    monkeypatch.setattr("threadline.cli.by_form.TRIED_FOR", 5.0 if way == "Ctrl-C" else 0.2)
    path = of_nobody(folder)
    then: dict[str, Callable[[], object]] = {"in a browser": lambda: path.chmod(0o644)}
    if way == "Ctrl-C":
        then["gives them up"] = presses_ctrl_c
    person = Person(then=then)
    assert registering(monkeypatch, threadline, person).code == 1
    assert github.calls[-1].path.endswith("/conversions")
    *_, said = person.printed
    assert "the secrets of acme-coder[bot] are not stored" in said
    assert "generate a private key" in said
    assert said.endswith("threadline secrets set github")
    assert WEBHOOK_SECRET not in "".join(person.printed)
    assert "PRIVATE KEY" not in "".join(person.printed)


def test_ctrl_c_at_the_form_says_that_nothing_was_registered(
    threadline: Command, monkeypatch: pytest.MonkeyPatch, github: GitHubStub
) -> None:
    """It ends with 130 and the two commands that go on by hand."""
    person = Person(then={"Ctrl-C ends this": presses_ctrl_c})
    monkeypatch.setattr(Person, "_press", lambda *_: None)
    ended = registering(monkeypatch, threadline, person)
    said = "\n".join(person.printed)
    assert (ended.code, ended.err) == (130, "")
    assert "Nobody pressed the button." in said
    assert "threadline secrets set github" in said
    assert said.endswith("Then: threadline setup github")
    assert not github.calls


def test_ctrl_c_while_github_answers_loses_nothing(
    threadline: Command, monkeypatch: pytest.MonkeyPatch, github: GitHubStub, stored: Stored
) -> None:
    """An exchange under way is awaited, and what it brings is stored."""
    stopping, exchanged = threading.Event(), github.tokens.app.exchanged

    def slowly(code: str, number: int, key: str) -> Answer:
        presses_ctrl_c()
        assert stopping.wait(5)
        return exchanged(code, number, key)

    monkeypatch.setattr(App, "exchanged", lambda _, *given: slowly(*given))
    person = Person(then={"Stopping.": stopping.set})
    ended = registering(monkeypatch, threadline, person)
    assert ended.code == 130
    assert "are stored" in "\n".join(person.printed)
    assert stored("github/default")["app_id"] == github.tokens.app_id


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Fault.status(500), "Load this page again"),
        (Fault.drop("after"), "Load this page again"),
        (Fault.status(404, "Not Found"), "take its App ID, generate a private key"),
        (Fault(Answer(201, {"id": 1})), "take its App ID, generate a private key"),
    ],
)
def test_an_exchange_that_fails_is_told_on_both_sides(
    threadline: Command,
    monkeypatch: pytest.MonkeyPatch,
    github: GitHubStub,
    fault: Fault,
    told: str,
) -> None:
    """The page and the terminal say the same: why, and what to do about the App that may stand."""
    github.fault("POST", "/conversions", fault)
    person = Person(then={"led to 502": presses_ctrl_c})
    ended = registering(monkeypatch, threadline, person)
    assert ended.code == 130
    assert told in html.unescape(person.led_to[0].text)
    said = "\n".join(person.printed)
    assert "Not registered: GitHub" in said
    assert told in said
    assert "Nobody pressed" not in said


def test_a_lost_answer_is_asked_for_again(
    threadline: Command, monkeypatch: pytest.MonkeyPatch, github: GitHubStub, stored: Stored
) -> None:
    """Loading the page once more registers the App where GitHub had not done so."""
    github.fault("POST", "/conversions", Fault.drop("before"))
    person = Person()
    person.then["led to 502"] = lambda: person.led_to.append(httpx.get(str(person.led_to[0].url)))
    assert registering(monkeypatch, threadline, person).code == 1
    assert [one.status_code for one in person.led_to] == [502, 200]
    assert stored("github/default")["app_id"] == github.tokens.app_id
