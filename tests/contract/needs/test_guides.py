"""The guides in docs/platforms name the scopes and events that the code declares, and no others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from threadline import wiring
from threadline.core.ids import AppName, PlatformName
from threadline.core.posting import Credentials
from threadline.core.setup import Registration, SetsUp
from threadline.platforms.discord import needs as discord_needs
from threadline.platforms.feishu import guide as feishu_guide
from threadline.platforms.github import needs as github_needs
from threadline.platforms.slack import guide as slack_guide
from threadline.platforms.slack import needs as slack_needs
from threadline.platforms.telegram import needs as telegram_needs

PAGES = Path(__file__).parents[3] / "docs" / "platforms"
PLATFORMS = sorted(path.stem for path in PAGES.glob("*.md"))
WORDS = {"read and write": "write", "read": "read"}


def page(platform: str) -> str:
    """Read a guide."""
    return (PAGES / f"{platform}.md").read_text(encoding="utf-8")


def blocks(platform: str, language: str) -> list[str]:
    """Give the code blocks of a guide in one language."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", page(platform), re.DOTALL | re.MULTILINE)
    return [str(one) for one in found]


def row(platform: str, name: str) -> str:
    """Give the second cell of a table's row."""
    found = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", page(platform), re.MULTILINE)
    assert len(found) == 1, (platform, name, found)
    return str(found[0])


def declared(platform: str) -> SetsUp:
    """Give a platform that can be set up."""
    codec = wiring.platform(platform)
    assert isinstance(codec, SetsUp)
    return codec


@pytest.mark.parametrize("platform", PLATFORMS)
def test_each_guide_says_how_to_set_up_and_to_verify(platform: str) -> None:
    """Each guide names the command that prints all of it, and the one that asks what is missing."""
    assert f"threadline setup {platform}" in page(platform)
    assert "threadline doctor" in page(platform)
    assert f"threadline secrets set {platform}" in page(platform)
    for need in declared(platform).needs().events:
        assert need.name in page(platform)


def test_every_platform_has_a_guide() -> None:
    """Whatever can be set up has its page."""
    able = {name for name in wiring.PLATFORMS if isinstance(wiring.platform(name), SetsUp)}
    assert able == set(PLATFORMS)


def test_slacks_manifest_is_the_printed_one() -> None:
    """The manifest in the guide is what `setup` prints for Socket Mode, each scope with its use."""
    credentials = Credentials(PlatformName("slack"), AppName("default"))
    printed = slack_guide.manifest(Registration(credentials=credentials, transport="socket"))
    (shown,) = [one for one in blocks("slack", "yaml") if "display_information" in one]
    assert yaml.safe_load(shown) == printed
    for need in slack_needs.NEEDS.scopes:
        assert re.search(rf"- {need.name} +# {re.escape(need.use)}\n", shown)
    assert slack_needs.APP_TOKEN_SCOPE in page("slack")


def test_feishus_scopes_are_the_printed_ones() -> None:
    """The bulk import is what `setup` prints; the table has every scope and its use."""
    shown = [json.loads(one) for one in blocks("feishu", "json")]
    assert shown == [json.loads(feishu_guide.bulk_import())]
    rows = dict(re.findall(r"\| `(im:[^`]+)` \| (.*) \|", page("feishu")))
    needs = declared("feishu").needs()
    assert rows == {need.name: need.use for need in needs.scopes}
    events = set(re.findall(r"`(im\.[a-z_.]+_v\d)`", page("feishu")))
    assert events == {need.name for need in needs.events}


def test_githubs_permissions_and_events_are_the_declared_ones() -> None:
    """The table for an App made by hand says what the manifest says."""
    parts = row("github", "Repository permissions").split(" · ")
    written = dict(part.split(": ") for part in parts)
    named = {name.lower().replace(" ", "_"): WORDS[told] for name, told in written.items()}
    assert named == dict(github_needs.PERMISSIONS)
    events = row("github", "Events").split(" · ")
    assert [one.strip("`") for one in events] == [need.name for need in github_needs.NEEDS.events]


def test_discords_permissions_and_intents_are_the_declared_ones() -> None:
    """Table, invitation, intents and commands say what the code asks for."""
    text = page("discord")
    table = text.partition("| Permission | Without it |\n|---|---|\n")[2].partition("\n\n")[0]
    rows = dict(line.strip("| ").split(" | ") for line in table.splitlines())
    told = {name: without for names, without in rows.items() for name in names.split(", ")}
    assert list(told) == list(discord_needs.PERMISSIONS)
    assert discord_needs.invitation("APPLICATION_ID") in text
    assert f"({discord_needs.INTENT_BITS})" in text
    (body,) = re.findall(r"-d '(\[.*?\])'", text, re.DOTALL)
    commands: Any = json.loads(body)
    assert commands == list(discord_needs.COMMANDS)


def test_telegrams_menu_is_the_printed_one() -> None:
    """The lines for /setcommands are what `setup` prints."""
    shown = re.findall(r"`([a-z]+) - ([^`]+)`", page("telegram"))
    assert dict(shown) == {str(name): use for name, use in telegram_needs.MENU.items()}
