"""`threadline setup github` by its form: a button makes the App and brings its secrets."""

import html
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import httpx
import pytest

from tests.stubs.github import GitHubStub
from tests.stubs.github_apps import WEBHOOK_SECRET
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
    """Reads what is printed, presses the button, and is led back."""

    def __init__(self) -> None:
        self.printed: list[str] = []
        self.led_to: list[httpx.Response] = []

    def presses(self, text: str) -> None:
        """Take a printed line; where it has the page's address, press the button there."""
        self.printed.append(text)
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


def registering(
    monkeypatch: pytest.MonkeyPatch, threadline: Command, person: Person, *words: str
) -> Ended:
    """Run setup while a person presses the button."""

    def say(*said: object, **_: object) -> None:
        person.presses(" ".join(map(str, said)))

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
