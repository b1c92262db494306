"""What doctor says of each platform, asked of its API as it really answers."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stubs.discord import BOT, TOKEN, DiscordStub
from tests.stubs.discord_server import DiscordServer
from tests.stubs.feishu import FeishuStub
from tests.stubs.slack import SlackStub
from tests.stubs.telegram import TelegramStub
from tests.unit.cli.conftest import Command
from tests.unit.cli.installed import PUBLIC, one_app, store
from threadline.platforms.discord import needs as discord_needs

HOOK = f"{PUBLIC}/webhooks"

type Break[Stub] = Callable[[Stub], object]


def told(threadline: Command, name: str) -> str:
    """Run doctor and give what it says of one app."""
    lines = threadline("doctor").out.splitlines()
    kept, ours = [], False
    for line in lines:
        ours = name in line if not line.startswith("      ") else ours
        kept += [line] if ours else []
    return "\n".join(kept)


@pytest.fixture
def telegram(folder: Path) -> Iterator[TelegramStub]:
    """A Telegram whose bot has everything that it needs."""
    with TelegramStub() as stub:
        stub.webhook, stub.max_connections = f"{HOOK}/telegram", 1
        stub.allowed_updates = ["message", "edited_message"]
        secrets = {"telegram/default": {"bot_token": stub.token, "webhook_secret": "of-nobody"}}
        store(folder, one_app("telegram", stub.url, {"transport": "webhook"}), secrets)
        yield stub


def test_a_bot_of_telegram_that_is_well(threadline: Command, telegram: TelegramStub) -> None:
    """Account, privacy, address and events are told, and nothing is to be done."""
    said = told(threadline, "telegram/default")
    assert "!!" not in said
    assert "account: is ThreadlineDemoBot; in groups it hears what is meant for it" in said
    assert f"webhook: is {telegram.webhook}; none waiting" in said
    assert "events: message, edited_message" in said


@pytest.mark.parametrize(
    ("broken", "seen", "remedy"),
    [
        (lambda s: setattr(s, "webhook", ""), "webhook: none is registered", "webhook set"),
        (
            lambda s: setattr(s, "webhook", "https://old.example.com/webhooks/telegram"),
            "is registered as https://old.example.com/webhooks/telegram, and should be",
            "threadline webhook set telegram",
        ),
        (
            lambda s: setattr(s, "allowed_updates", ["message"]),
            "events: missing edited_message",
            "threadline webhook set telegram",
        ),
        (lambda s: setattr(s, "max_connections", 40), "40 at once, and should be 1", "webhook set"),
        (
            lambda s: setattr(
                s,
                "last_error",
                (int(time.time()) - 120, "Wrong response from the webhook: 401 Unauthorized"),
            ),
            "401 Unauthorized, 2 minutes ago (the secret is another one)",
            "sends the secret anew",
        ),
        (
            lambda s: setattr(s, "last_error", (int(time.time()), "Connection timed out")),
            "last failure: Connection timed out, 0 minutes ago",
            "let the address answer from outside",
        ),
    ],
    ids=["none", "elsewhere", "events", "connections", "secret", "unreachable"],
)
def test_what_is_wrong_with_a_bots_webhook(
    threadline: Command,
    telegram: TelegramStub,
    broken: Break[TelegramStub],
    seen: str,
    remedy: str,
) -> None:
    """What getWebhookInfo tells is said in words, with the command that mends it."""
    broken(telegram)
    said = told(threadline, "telegram/default")
    assert seen in said
    assert remedy in said
    assert "!!" in said


def test_an_old_failure_is_told_and_nothing_to_do(
    threadline: Command, telegram: TelegramStub
) -> None:
    """Telegram never forgets the last failure; one of yesterday is only mentioned."""
    telegram.last_error = (int(time.time()) - 86_400, "Read timeout expired")
    said = told(threadline, "telegram/default")
    assert "ok  telegram/default last failure: Read timeout expired, 1440 minutes ago" in said
    assert "!!" not in said


def test_a_webhook_keeps_polling_out(threadline: Command, folder: Path) -> None:
    """A bot that is to be polled but has a webhook is told how to be rid of it."""
    with TelegramStub(webhook="https://old.example.com/hook") as stub:
        secrets = {"telegram/default": {"bot_token": stub.token}}
        store(folder, one_app("telegram", stub.url), secrets)
        said = told(threadline, "telegram/default")
        stub.webhook = ""
        well = told(threadline, "telegram/default")
    assert "updates: go to https://old.example.com/hook, so that polling is refused" in said
    assert "threadline webhook delete telegram" in said
    assert "updates: are kept for polling; none waiting" in well


@pytest.fixture
def slack(folder: Path) -> Iterator[SlackStub]:
    """A Slack whose app connects by Socket Mode and has everything that it needs."""
    with SlackStub(socket_url="wss://of-nobody.example") as stub:
        secrets = {"slack/default": {"bot_token": stub.token, "app_token": stub.app_token}}
        store(folder, one_app("slack", stub.url), secrets)
        yield stub


def test_an_app_of_slack_that_is_well(threadline: Command, slack: SlackStub) -> None:
    """Account, scopes and Socket Mode are told; what cannot be asked is said to be so."""
    assert slack.socket_mode
    said = told(threadline, "slack/default")
    assert "account: is threadline in Acme" in said
    assert "scopes: all 10" in said
    assert "Socket Mode: on" in said
    assert "??  slack/default events: Slack does not tell a bot which it is sent" in said
    assert "message.channels" in said
    assert "!!" not in said


@pytest.mark.parametrize(
    ("broken", "seen", "remedy"),
    [
        (
            lambda s: s.scopes.difference_update({"files:read", "reactions:write"}),
            "missing reactions:write (👀 while it works, ✅ or ❌ at the end), files:read",
            "Bot Token Scopes: add them, then Reinstall to Workspace",
        ),
        (lambda s: setattr(s, "token", "xoxb-other"), "invalid_auth", "secrets set slack"),
        (
            lambda s: setattr(s, "app_token", "xapp-other"),
            "Socket Mode: Slack refused apps.connections.open: invalid_auth",
            "one with the scope connections:write; then: threadline secrets set slack",
        ),
        (lambda s: s.app_scopes.clear(), "needs connections:write", "App-Level Tokens"),
        (
            lambda s: setattr(s, "socket_mode", False),
            "socket_mode_not_enabled",
            "Socket Mode: Enable Socket Mode",
        ),
    ],
    ids=["scopes", "token", "app-token", "app-scope", "off"],
)
def test_what_is_wrong_with_an_app_of_slack(
    threadline: Command, slack: SlackStub, broken: Break[SlackStub], seen: str, remedy: str
) -> None:
    """Each missing scope is named with what it is for, and where to click."""
    broken(slack)
    said = told(threadline, "slack/default")
    assert seen in said
    assert remedy in said
    assert "of-nobody" not in said


@pytest.fixture
def discord(folder: Path) -> Iterator[DiscordStub]:
    """A Discord whose bot takes commands at our address and may do everything."""
    stub = DiscordStub()
    with DiscordServer(stub) as server:
        stub.application.endpoint = f"{HOOK}/discord"
        stub.application.register([dict(one) for one in discord_needs.COMMANDS])
        keys = {"bot_token": TOKEN, "public_key": stub.application.verify_key}
        store(folder, one_app("discord", server.url), {"discord/default": keys})
        yield stub


def test_a_bot_of_discord_that_is_well(threadline: Command, discord: DiscordStub) -> None:
    """Intents, servers, key, endpoint and commands are told."""
    assert discord.application.commands
    said = told(threadline, "discord/default")
    assert "!!" not in said
    assert "account: is ThreadlineDemo" in said
    assert "intents: GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT" in said
    assert "servers: 1" in said
    assert f"interactions: go to {HOOK}/discord" in said
    assert "commands: /ask, /new, /stop, /status, /help" in said


@pytest.mark.parametrize(
    ("broken", "seen", "remedy"),
    [
        (lambda a: setattr(a, "flags", 0), "MESSAGE_CONTENT is off", "Message Content Intent on"),
        (lambda a: a.servers.clear(), "servers: none", f"client_id={BOT}"),
        (
            lambda a: setattr(a, "permissions", a.permissions & ~(1 << 35)),
            "permissions: 1 of 1 without Create Public Threads",
            "permissions=309237746752",
        ),
        (lambda a: setattr(a, "verify_key", "00" * 32), "is another application's", "secrets set"),
        (
            lambda a: setattr(a, "endpoint", None),
            f"go to nowhere, and should go to {HOOK}/discord",
            "threadline webhook set discord",
        ),
        (lambda a: a.commands.pop(), "commands: missing /help", "threadline webhook set discord"),
    ],
    ids=["intent", "servers", "permissions", "key", "endpoint", "commands"],
)
def test_what_is_wrong_with_a_bot_of_discord(
    threadline: Command, discord: DiscordStub, broken: Break[Any], seen: str, remedy: str
) -> None:
    """Each thing that is off is named with the page where it is switched on."""
    broken(discord.application)
    said = told(threadline, "discord/default")
    assert seen in said
    assert remedy in said
    assert TOKEN not in said


@pytest.fixture
def feishu(folder: Path) -> Iterator[FeishuStub]:
    """A Feishu whose app holds a long connection and has every scope."""
    with FeishuStub() as stub:
        store(folder, one_app("feishu", stub.url), {"feishu/default": dict(stub.secrets)})
        yield stub


def test_an_app_of_feishu_that_is_well(threadline: Command, feishu: FeishuStub) -> None:
    """The bot's name and its granted scopes are told; subscriptions cannot be asked."""
    assert feishu.activated == 2
    said = told(threadline, "feishu/default")
    assert "!!" not in said
    assert "scopes: all 6" in said
    assert "??  feishu/default events: Feishu does not tell" in said
    assert "im.message.receive_v1" in said


@pytest.mark.parametrize(
    ("broken", "seen", "remedy"),
    [
        (
            lambda s: s.scopes.discard("im:message.reactions:write_only"),
            "scopes: missing im:message.reactions:write_only",
            "Permissions & Scopes; then Version Management & Release",
        ),
        (lambda s: setattr(s, "activated", 1), "switched off by the organisation", "publish it"),
        (
            lambda s: setattr(s, "secrets", {**s.secrets, "app_secret": "another"}),
            "app secret invalid",
            "secrets set feishu",
        ),
    ],
    ids=["scope", "off", "secret"],
)
def test_what_is_wrong_with_an_app_of_feishu(
    threadline: Command, feishu: FeishuStub, broken: Break[FeishuStub], seen: str, remedy: str
) -> None:
    """A scope that the organisation did not grant is named, and where it is asked for."""
    broken(feishu)
    said = told(threadline, "feishu/default")
    assert seen in said
    assert remedy in said


def logged(folder: Path, *reasons: str) -> None:
    """Let ingest have logged deliveries of Slack's, a minute apart, the last a minute ago."""
    log = folder / ".threadline" / "log"
    log.mkdir(mode=0o700, exist_ok=True)
    now = time.time()
    lines = [
        {"at": now - 60 * (len(reasons) - n), "event": "delivery", "platform": "slack",
         "app": "default", "reason": reason, "type": "app_mention"}
        for n, reason in enumerate(reasons)
    ]  # fmt: skip
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (log / "threadline.jsonl").write_text(text)


@pytest.mark.parametrize(
    ("reasons", "told_of"),
    [
        ((), "ok  slack/default arrived: nothing that the log still has"),
        (("accepted",), "ok  slack/default arrived: app_mention 1 minute ago"),
        (
            ("accepted", "signature_invalid"),
            "ok  slack/default arrived: app_mention 2 minutes ago; refused 1 minute ago: the sign",
        ),
        (
            ("signature_invalid",),
            "!!  slack/default arrived: nothing was taken; the last was refused 1 minute ago",
        ),
    ],
    ids=["nothing", "taken", "taken before", "refused"],
)
def test_what_arrived_is_told_out_of_our_own_log(
    threadline: Command, folder: Path, slack: SlackStub, reasons: tuple[str, ...], told_of: str
) -> None:
    """Where a vendor does not tell what it sends, the log tells which events came, and when."""
    assert slack.url
    logged(folder, *reasons)
    said = told(threadline, "slack/default")
    assert told_of in said
    assert ("threadline setup slack" in said) is (reasons == ("signature_invalid",))
