"""The vendors' own libraries read of the stubs what doctor reads."""

import asyncio
from pathlib import Path

from slack_sdk import WebClient
from telegram import Bot, WebhookInfo

from tests.stubs.slack import SlackStub
from tests.stubs.telegram import TelegramStub
from tests.unit.cli.conftest import Command
from tests.unit.cli.installed import PUBLIC, one_app, store
from tests.unit.cli.test_doctor_platforms import told


def test_slack_sdk_reads_the_same_scopes(threadline: Command, folder: Path) -> None:
    """The header of auth.test names what doctor does not miss, and what it does."""
    with SlackStub() as stub:
        stub.scopes.discard("files:read")
        secrets = {"slack/default": {"bot_token": stub.token, "app_token": stub.app_token}}
        store(folder, one_app("slack", stub.url), secrets)
        said = told(threadline, "slack/default")
        answer = WebClient(stub.token, base_url=f"{stub.url}/api/").auth_test()
        scopes = set(answer.headers["x-oauth-scopes"].split(","))
        opened = WebClient(base_url=f"{stub.url}/api/").apps_connections_open(
            app_token=stub.app_token
        )
    assert scopes == stub.scopes
    assert f"account: is {answer['user']} in {answer['team']}" in said
    assert "missing files:read" in said
    assert opened["ok"]


def test_python_telegram_bot_reads_the_same_webhook(threadline: Command, folder: Path) -> None:
    """Address, events, connections and the last failure are what the library finds."""
    with TelegramStub(webhook=f"{PUBLIC}/webhooks/telegram", max_connections=7) as stub:
        stub.allowed_updates = ["message"]
        stub.last_error = (1_790_000_000, "Connection refused")
        secrets = {"telegram/default": {"bot_token": stub.token, "webhook_secret": "of-nobody"}}
        source = one_app("telegram", stub.url, {"transport": "webhook"})
        store(folder, source, secrets)
        said = told(threadline, "telegram/default")
        seen = asyncio.run(_webhook(stub))
    assert seen.url in said
    assert f"connections: {seen.max_connections} at once" in said
    assert "events: missing edited_message" in said
    assert str(seen.last_error_message) in said
    assert list(seen.allowed_updates) == ["message"]


async def _webhook(stub: TelegramStub) -> WebhookInfo:
    async with Bot(stub.token, base_url=f"{stub.url}/bot") as bot:
        return await bot.get_webhook_info()
