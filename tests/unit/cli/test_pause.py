from pathlib import Path

import pytest

from tests.unit.cli.conftest import Command
from tests.unit.configure.compiling import compiled
from threadline import wiring
from threadline.app.settings_items import load_settings, store_settings
from threadline.core.settings import Settings


@pytest.fixture
def configured(folder: Path) -> Path:
    """Store the settings of a bot with two bindings, as `serve` does."""
    text = "bindings: {team: {platform: telegram, chats: [-1]}, rest: {platform: telegram}}"
    local = wiring.local_ports(folder / ".threadline")
    store_settings(local.ports.store, compiled(text).settings, 0.0)
    local.close()
    return folder


def settings(folder: Path) -> Settings:
    """Read the settings as another process would."""
    local = wiring.local_ports(folder / ".threadline")
    try:
        return load_settings(local.ports.store)
    finally:
        local.close()


def test_a_platform_is_paused_and_goes_on(threadline: Command, configured: Path) -> None:
    """The bot is paused by its name and goes on by the line that was printed."""
    ended = threadline("pause", "telegram")
    assert ended.code == 0
    assert {app.platform for app in settings(configured).apps if app.paused} == {"telegram"}
    assert "To end it: threadline resume telegram\n" in ended.out
    assert threadline("resume", "telegram").code == 0
    assert not any(app.paused for app in settings(configured).apps)


def test_a_binding_is_paused(threadline: Command, configured: Path) -> None:
    """One binding is paused and the others go on."""
    threadline("pause", "binding/team")
    assert {one.name for one in settings(configured).bindings if one.paused} == {"team"}


def test_what_is_paused_is_listed(threadline: Command, configured: Path) -> None:
    """Without a target the pauses in force are told."""
    assert configured.is_dir()
    assert threadline("pause").out == "nothing is paused\n"
    threadline("pause", "telegram")
    threadline("pause", "binding/rest")
    assert threadline("pause").out == "binding/rest\ntelegram\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["pause", "telegarm"], "no platform is called telegarm; did you mean `telegram`?"),
        (["pause", "binding/tema"], "no binding is called tema; did you mean `team`?"),
        (["resume", "telegram"], "telegram is not paused; paused: nothing"),
    ],
)
def test_a_target_that_is_none(
    threadline: Command, configured: Path, words: list[str], said: str
) -> None:
    """A slip of the pen pauses nothing, and says what was meant."""
    ended = threadline(*words)
    assert (ended.code, ended.err) == (1, f"threadline: {said}\n")
    assert not any(one.paused for one in settings(configured).bindings)


def test_bindings_are_known_once_served(threadline: Command) -> None:
    """Before anything was stored there is no binding to pause."""
    ended = threadline("pause", "binding/team")
    assert (ended.code, ended.err) == (
        1,
        "threadline: no bindings are stored yet: threadline serve\n",
    )
