import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stubs.discord import TOKEN, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.stubs.github import GitHubStub
from tests.stubs.telegram import TelegramStub
from tests.unit.cli.conftest import Command
from tests.unit.cli.installed import PUBLIC, one_app, store

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
    """Where a webhook cannot be registered from here, that is said, and what prints its address."""
    ended = threadline("webhook", "set", "slack")
    assert ended.code == 1
    assert "own pages: threadline setup slack prints what belongs there" in ended.err


def test_githubs_app_is_told_address_and_secret(threadline: Command, folder: Path) -> None:
    """The App's webhook goes where the table says, signed with the stored secret, TLS verified."""
    with GitHubStub() as github:
        github.state.now = time.time() + 30
        github.tokens.app.hook |= {"url": "https://old.example.com", "insecure_ssl": "1"}
        key = {"app_id": github.tokens.app_id, "private_key": github.tokens.private_key}
        secrets = {"github/default": {"webhook_secret": SECRET, **key}}
        store(folder, one_app("github", github.url), secrets)
        ended = threadline("webhook", "set", "github")
        assert (ended.code, ended.err) == (0, "")
        hook = github.tokens.app.hook
        assert hook["url"] == f"{PUBLIC}/webhooks/github"
        assert (hook["insecure_ssl"], hook["content_type"]) == ("0", "json")
        assert github.tokens.app.hook_secret == SECRET
        assert SECRET not in ended.out
        store(folder, one_app("github", github.url), {"github/default": {"token": "of-nobody"}})
        ended = threadline("webhook", "set", "github")
        assert "registered in its repository's Settings" in ended.err


def test_discord_is_told_commands_and_address(threadline: Command, folder: Path) -> None:
    """The slash commands are replaced and interactions come here; a failed try is told as that."""
    stub = DiscordStub()
    with DiscordServer(stub) as server:
        source = one_app("discord", server.url)
        store(folder, source, {"discord/default": {"bot_token": TOKEN}})
        assert "no public_key is stored" in threadline("webhook", "set", "discord").err
        keys = {"bot_token": TOKEN, "public_key": stub.application.verify_key}
        store(folder, source, {"discord/default": keys})
        stub.application.reaches = False
        ended = threadline("webhook", "set", "discord")
        assert ended.code == 1
        assert f"Discord tried {PUBLIC}/webhooks/discord" in ended.err
        stub.application.reaches = True
        ended = threadline("webhook", "set", "discord")
        assert (ended.code, ended.err) == (0, "")
        assert "/ask, /new, /stop, /status, /help" in ended.out
        assert stub.application.endpoint == f"{PUBLIC}/webhooks/discord"
        assert [one["name"] for one in stub.application.commands] == [
            "ask", "new", "stop", "status", "help",
        ]  # fmt: skip
        assert TOKEN not in ended.out


@pytest.mark.parametrize("platform", ["github", "discord"])
def test_without_a_public_address_nothing_is_told(
    threadline: Command, folder: Path, platform: str
) -> None:
    """A platform is not told of an address that nobody knows."""
    assert folder.is_dir()
    ended = threadline("webhook", "set", platform)
    assert ended.code == 1
    assert "no public address" in ended.err
