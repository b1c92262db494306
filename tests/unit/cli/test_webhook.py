import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stubs.telegram import TelegramStub
from tests.unit.cli.conftest import Command

SECRET = "a-webhook-secret-of-nobody"


@pytest.fixture
def telegram() -> Iterator[TelegramStub]:
    """Give a strict Telegram."""
    with TelegramStub() as stub:
        yield stub


def configure(folder: Path, telegram: TelegramStub, transport: str, more: str = "") -> None:
    """Write what a person has who has set up the bot."""
    (folder / "threadline.yaml").write_text(
        f"{more}platforms: {{telegram: {{apps: {{default: {{base_url: '{telegram.url}',"
        f" transport: {transport}}}}}}}}}\nagents: {{mine: {{url: 'http://127.0.0.1:1'}}}}\n"
    )
    state = folder / ".threadline"
    state.mkdir(mode=0o700)
    entry = {"bot_token": telegram.token, "webhook_secret": SECRET}
    (state / "secrets.json").write_text(json.dumps({"telegram/default": entry}))
    (state / "secrets.json").chmod(0o600)


def test_the_address_is_registered_with_the_secret(
    threadline: Command, folder: Path, telegram: TelegramStub
) -> None:
    """Telegram is told the address that the table shows, and the secret to send with it."""
    configure(folder, telegram, "webhook", "public_url: https://chat.example.com\n")
    ended = threadline("webhook", "set", "telegram")
    assert (ended.code, ended.err) == (0, "")
    assert telegram.webhook == "https://chat.example.com/webhooks/telegram"
    assert telegram.webhook_secret == SECRET
    (call,) = telegram.calls_of("setWebhook")
    assert str(call.parameters["max_connections"]) == "1"
    assert "edited_message" in str(call.parameters["allowed_updates"])
    assert telegram.webhook in ended.out
    assert SECRET not in ended.out


def test_a_registration_is_removed(
    threadline: Command, folder: Path, telegram: TelegramStub
) -> None:
    """After that Telegram hands updates out to whoever asks; nothing waiting is dropped."""
    configure(folder, telegram, "polling")
    telegram.webhook = "https://elsewhere.example.com"
    telegram.add_chat(7)
    telegram.say(7, "still waiting")
    assert threadline("webhook", "delete", "telegram").code == 0
    assert telegram.webhook == ""
    (call,) = telegram.calls_of("deleteWebhook")
    assert not call.parameters.get("drop_pending_updates")


@pytest.mark.parametrize(
    ("transport", "more", "words"),
    [
        ("polling", "public_url: https://x.example.com\n", "transport: webhook"),
        ("webhook", "", "no public address"),
    ],
)
def test_what_is_missing_is_said(
    threadline: Command, folder: Path, telegram: TelegramStub,
    transport: str, more: str, words: str,
) -> None:  # fmt: skip
    """Nothing is registered that could not work; one line says what to write."""
    configure(folder, telegram, transport, more)
    ended = threadline("webhook", "set", "telegram")
    assert ended.code == 1
    assert words in ended.err
    assert telegram.webhook == ""


def test_a_refusal_is_one_line_without_the_token(
    threadline: Command, folder: Path, telegram: TelegramStub
) -> None:
    """A token that Telegram does not know is said without showing it."""
    configure(folder, telegram, "polling")
    telegram.token = "7000000001:another-token"
    ended = threadline("webhook", "delete", "telegram")
    assert ended.code == 1
    assert ended.err.startswith("threadline: Telegram did not take it")
    assert "a-token-of-nobody" not in ended.err


def test_other_platforms_have_pages_of_their_own(threadline: Command) -> None:
    """Where a webhook cannot be registered from here, that is said."""
    ended = threadline("webhook", "set", "github")
    assert ended.code == 1
    assert "own pages" in ended.err
