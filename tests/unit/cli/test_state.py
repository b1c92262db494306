from collections.abc import Iterator

import pytest

from tests.unit.configure.compiling import NAMESPACE, compiled, row
from threadline.app.configure.surroundings import Surroundings
from threadline.cli import state


@pytest.fixture
def on_a_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Run as a command that was given a stack."""
    monkeypatch.setattr("sys.argv", ["/nowhere/bin/pytest"])
    chosen = state.stack.set("threadline-dev")
    yield
    state.stack.reset(chosen)


@pytest.mark.usefixtures("on_a_stack")
def test_a_command_that_is_told_is_for_the_same_stack() -> None:
    """Pasted as it stands, it works on the stack that the person asked about."""
    assert state.command("resume telegram") == "threadline resume telegram --stack threadline-dev"
    assert state.storing() == "threadline config push --stack threadline-dev"


def test_a_command_that_is_told_is_for_this_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a stack it has nothing behind it, and settings are stored by `serve`."""
    monkeypatch.setattr("sys.argv", ["/nowhere/bin/pytest"])
    assert state.command("resume telegram") == "threadline resume telegram"
    assert state.storing() == "threadline serve"


def test_what_an_app_lacks_is_stored_in_the_stack() -> None:
    """The reason why an app is off names a command for the stack it is off in."""
    around = Surroundings(namespace=NAMESPACE, suffix=" --stack threadline-dev")
    why = row(compiled("agents: {a: {url: https://a.example}}", around), "telegram").why
    assert why == (
        "no bot_token and no webhook_secret: threadline secrets set telegram --stack threadline-dev"
    )
