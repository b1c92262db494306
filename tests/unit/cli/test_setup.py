"""What `threadline setup` prints, ready to paste, and what it says where it cannot."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.stubs.slack_manifest import faults
from tests.unit.buzz.relay import US, credentials
from tests.unit.cli.conftest import Command
from tests.unit.cli.installed import PUBLIC, store
from threadline.core.bech32 import encode
from threadline.core.setup import Need, lacking
from threadline.platforms.discord import needs as discord_needs
from threadline.platforms.feishu import needs as feishu_needs
from threadline.platforms.github import needs as github_needs
from threadline.platforms.slack import needs as slack_needs

HERE = "https://chat.example.com"
EVERY = ("buzz", "discord", "feishu", "github", "slack", "telegram")


def objects(text: str) -> list[Any]:
    """Read every JSON object that stands from the first column on."""
    return [json.loads(one) for one in re.findall(r"^\{\n.*?^\}$", text, re.DOTALL | re.MULTILINE)]


def printed(threadline: Command, *words: str) -> str:
    """Run setup without waiting and give what it printed."""
    ended = threadline("setup", *words, "--wait", "0")
    assert ended.err == ""
    return ended.out


@pytest.mark.parametrize("platform", EVERY)
def test_every_platform_has_steps(threadline: Command, folder: Path, platform: str) -> None:
    """With nothing here at all the steps are printed, with the command for the secrets."""
    said = printed(threadline, platform, *(("--url", HERE) if platform == "github" else ()))
    assert said.startswith(f"{platform}, by ")
    assert f"\n\nthreadline secrets set {platform}\n" in said
    assert f"docs/platforms/{platform}.md" in said
    assert not (folder / ".threadline").exists()


def manifest_of(said: str) -> Any:
    """Give Slack's manifest, which is the same in the text and in the address."""
    (found,) = objects(said)
    (address,) = re.findall(r"^https://api\.slack\.com/apps\?\S+$", said, re.MULTILINE)
    query = parse_qs(urlsplit(address).query)
    assert query["new_app"] == ["1"]
    assert json.loads(query["manifest_json"][0]) == found
    return found


def test_slacks_manifest_by_socket(threadline: Command, folder: Path) -> None:
    """On this machine it wants Socket Mode and no address; Slack finds no fault in it."""
    assert folder.is_dir()
    manifest = manifest_of(printed(threadline, "slack"))
    assert faults(manifest) == []
    assert manifest["settings"]["socket_mode_enabled"] is True
    assert "http" not in json.dumps(manifest)
    assert manifest["oauth_config"]["scopes"]["bot"] == [
        need.name for need in slack_needs.NEEDS.scopes
    ]


def test_slacks_manifest_by_webhook(threadline: Command, folder: Path) -> None:
    """With `transport: webhook` all three addresses are the app's own; Slack finds no fault."""
    (folder / "threadline.yaml").write_text(
        "platforms: {slack: {apps: {second: {transport: webhook}}}}\n"
    )
    said = printed(threadline, "slack/second", "--url", HERE)
    manifest, ours = manifest_of(said), f"{HERE}/webhooks/slack/second"
    assert faults(manifest) == []
    settings = manifest["settings"]
    assert settings["event_subscriptions"]["request_url"] == ours
    assert settings["interactivity"]["request_url"] == ours
    assert manifest["features"]["slash_commands"][0]["url"] == ours
    assert settings["socket_mode_enabled"] is False
    assert "signing_secret" in said
    assert "threadline secrets set slack/second" in said
    manifest["settings"]["event_subscriptions"].pop("request_url")
    manifest["oauth_config"]["scopes"]["bot"].remove("commands")
    assert len(faults(manifest)) == 2


@pytest.mark.parametrize("url", [HERE, f"{HERE}/", f"{HERE}/webhooks/github"])
def test_githubs_manifest(threadline: Command, folder: Path, url: str) -> None:
    """Permissions and events bear GitHub's names; the address may be a whole webhook's."""
    assert folder.is_dir()
    (manifest,) = objects(printed(threadline, "github", "--url", url))
    assert manifest["hook_attributes"] == {"url": f"{HERE}/webhooks/github", "active": True}
    assert manifest["default_permissions"] == {
        "issues": "write", "pull_requests": "write", "metadata": "read",
    }  # fmt: skip
    assert manifest["default_events"] == [need.name for need in github_needs.NEEDS.events]
    assert manifest["public"] is False
    assert len(manifest["name"]) <= 34


def test_telegrams_lines(threadline: Command, folder: Path) -> None:
    """The lines to @BotFather stand alone; with a webhook the command that registers it follows."""
    said = printed(threadline, "telegram")
    for line in ("/newbot", "/setprivacy", "/setcommands", "/setjoingroups", "new - start over"):
        assert f"\n{line}\n" in said
    assert "webhook set" not in said
    (folder / "threadline.yaml").write_text(
        f"public_url: {PUBLIC}\n"
        "platforms: {telegram: {apps: {default: {transport: webhook}}}}\n"
    )
    said = printed(threadline, "telegram")
    assert f"Have messages sent to {PUBLIC}/webhooks/telegram:" in said
    assert "\nthreadline webhook set telegram\n" in said


def test_discords_addresses(threadline: Command, folder: Path) -> None:
    """The invitation has scopes and permissions, and the bot's own id once its token is there."""
    said = printed(threadline, "discord")
    assert "client_id=APPLICATION_ID&scope=bot+applications.commands" in said
    assert "permissions=309237746752" in said
    assert "they want a public address" in said
    token = "MTE4MDAwMDAwMDAwMDAwMDEwMQ.GaBcDe.a-token-of-nobody-at-all"
    store(folder, "{}", {"discord/default": {"bot_token": token}})
    said = printed(threadline, "discord", "--url", HERE)
    assert "client_id=1180000000000000101&" in said
    assert f"{HERE}/webhooks/discord" in said
    assert "\nthreadline webhook set discord\n" in said
    body = said.partition("-d '")[2].partition("'")[0]
    assert [one["name"] for one in json.loads(body)] == list(discord_needs.names())
    assert token not in said


def test_feishus_scopes(threadline: Command, folder: Path) -> None:
    """The bulk import has just the usual scopes; by webhook address and secrets are told."""
    said = printed(threadline, "feishu")
    (scopes,) = objects(said)
    wanted = [need.name for need in feishu_needs.NEEDS.scopes if need.usual]
    assert scopes == {"scopes": {"user": [], "tenant": wanted}}
    assert "Add Events: im.message.receive_v1" in said
    assert "使用长连接接收事件" in said
    (folder / "threadline.yaml").write_text(
        "platforms: {feishu: {apps: {default: {transport: webhook, options: {domain: lark}}}}}\n"
    )
    said = printed(threadline, "feishu", "--url", HERE)
    assert f"\n{HERE}/webhooks/feishu\n" in said
    assert "Verification Token and an Encrypt Key" in said
    assert "https://open.larksuite.com/app" in said


def test_buzzs_key(threadline: Command, folder: Path) -> None:
    """The bot's public key is shown once its private one is stored, which is not shown."""
    assert "shown here once" in printed(threadline, "buzz")
    key = credentials().secret("private_key")
    store(folder, "{}", {"buzz/default": {"private_key": key}})
    said = printed(threadline, "buzz")
    assert encode(bytes.fromhex(US.pubkey), "npub") in said
    assert f"--pubkey {US.pubkey} --role bot" in said
    assert key not in said


def test_without_an_address_the_way_to_one_is_told(threadline: Command, folder: Path) -> None:
    """What cannot be finished says so, shows where the address belongs, and does not wait."""
    assert folder.is_dir()
    ended = threadline("setup", "github")
    assert ended.code == 1
    assert "threadline setup github --url https://…" in ended.out
    assert "threadline setup github --stack threadline-dev" in ended.out
    assert "cloudflared tunnel" in ended.out
    assert "https://PUBLIC-ADDRESS/webhooks/github" in ended.out
    assert "Waiting" not in ended.out


def test_an_address_that_is_not_called_is_told(threadline: Command, folder: Path) -> None:
    """Where the app connects itself an address has no effect, and the line for it is told."""
    assert folder.is_dir()
    said = printed(threadline, "slack", "--url", HERE)
    assert f"slack comes by socket, so that {HERE}/webhooks/slack is not called" in said
    assert "platforms: {slack: {apps: {default: {transport: webhook}}}}" in said


@pytest.mark.parametrize(
    "url",
    ["http://chat.example.com", "chat.example.com", "https://", "https://[x", "https://a b.example",
     "https://chat.example.com/?a=b", "https://chät.example.com"],
)  # fmt: skip
def test_an_address_that_is_none_is_refused(threadline: Command, folder: Path, url: str) -> None:
    """What no platform could call is refused in one line."""
    assert folder.is_dir()
    ended = threadline("setup", "github", "--url", url)
    assert ended.code == 1
    assert ended.err.startswith("threadline: --url wants an address such as")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("slak",), 1, "no platform is called slak; did you mean `slack`"),
        (("playground",), 1, "playground needs no setup"),
        (("slack", "--wait", "-1"), 2, "is no number of seconds from 0 to 86400"),
        (("slack", "--wait", "soon"), 2, "is no number of seconds from 0 to 86400"),
    ],
)
def test_wrong_words_are_told(
    threadline: Command, folder: Path, words: tuple[str, ...], code: int, told: str
) -> None:
    """A misspelt platform and a time that is none are refused, with what would be right."""
    assert folder.is_dir()
    ended = threadline("setup", *words)
    assert ended.code == code
    assert told in ended.err


def test_a_faulty_file_is_told(threadline: Command, folder: Path) -> None:
    """Every fault of the configuration is told before anything is printed."""
    (folder / "threadline.yaml").write_text("platforms: {slack: {apps: {default: {x: 1}}}}\n")
    ended = threadline("setup", "slack")
    assert (ended.code, ended.out) == (2, "")
    assert "threadline.yaml:1" in ended.err


def test_what_is_lacking_is_told_in_order() -> None:
    """A need is met by its name or by a broader one; an unusual one is never missed."""
    needs = [Need("a", "x"), Need("b", "x", instead=("all",)), Need("c", "x", usual=False)]
    assert lacking(needs, ()) == ("a", "b")
    assert lacking(needs, {"all"}) == ("a",)
    assert lacking(needs, {"a", "b"}) == ()
