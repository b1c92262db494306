"""What a platform's folder declares is what its code calls and parses: no less and no more."""

import ast
from pathlib import Path

import discord
import pytest

from tests.architecture.source import PACKAGE, tree
from tests.contract.needs.exercises import EXERCISES
from tests.contract.needs.naming import (
    asked_of_the_relay,
    intents_of,
    known_events,
    led_to_messages,
)
from tests.stubs import feishu_scopes, slack_scopes
from threadline import wiring
from threadline.core.setup import SetsUp, lacking
from threadline.platforms.discord import needs as discord_needs

FOR_EVENTS = {
    "slack": {*slack_scopes.OF_EVENTS.values(), slack_scopes.OF_SLASH_COMMANDS},
    "feishu": {openers[0] for openers in feishu_scopes.OF_MESSAGES.values()},
}
"""Scopes that the vendor wants for what it sends, whatever is called."""


def declared(platform: str) -> SetsUp:
    """Give a platform that can be set up."""
    codec = wiring.platform(platform)
    assert isinstance(codec, SetsUp)
    return codec


def scopes(platform: str) -> set[str]:
    """Name the scopes that every app is to have."""
    return {need.name for need in declared(platform).needs().scopes if need.usual}


@pytest.mark.parametrize("platform", sorted(set(wiring.PLATFORMS) - {"playground"}))
def test_every_platform_can_be_set_up(platform: str) -> None:
    """Each platform that people use declares its needs, each once and with a use."""
    needs = declared(platform).needs()
    for kind in (needs.scopes, needs.events):
        names = [need.name for need in kind]
        assert len(set(names)) == len(names)
        assert all(need.use for need in kind)
    assert needs.events


@pytest.mark.parametrize("platform", EXERCISES)
def test_the_declared_scopes_are_enough(platform: str, tmp_path: Path) -> None:
    """With just these scopes every call of the platform's code is permitted."""
    assert EXERCISES[platform].run(scopes(platform), tmp_path) == []


@pytest.mark.parametrize(
    ("platform", "scope"),
    [
        pytest.param(platform, scope, id=f"{platform}-{scope}".replace(" ", "_"))
        for platform, exercise in EXERCISES.items()
        for scope in sorted(scopes(platform) - exercise.given - FOR_EVENTS.get(platform, set()))
    ],
)
def test_every_declared_scope_is_needed(platform: str, scope: str, tmp_path: Path) -> None:
    """Without any one of them some call is refused, or something people write is not sent."""
    assert EXERCISES[platform].run(scopes(platform) - {scope}, tmp_path)


@pytest.mark.parametrize("platform", FOR_EVENTS)
def test_what_is_sent_has_its_scope(platform: str) -> None:
    """The vendor sends every declared event only for a scope, and that one is declared."""
    assert FOR_EVENTS[platform] <= scopes(platform)
    if platform == "slack":
        events = {need.name for need in declared(platform).needs().events}
        assert events == set(slack_scopes.OF_EVENTS)


@pytest.mark.parametrize("platform", ["feishu", "github", "slack", "telegram"])
def test_the_declared_events_are_those_that_lead_to_messages(platform: str) -> None:
    """Each declared event has a recording that becomes a message, and no other kind does."""
    assert {need.name for need in declared(platform).needs().events} == led_to_messages(platform)


def test_buzz_asks_its_relay_for_what_it_declares() -> None:
    """The kinds of events in the subscriptions are the declared ones."""
    events = declared("buzz").needs().events
    assert {need.name for need in events} == asked_of_the_relay()


def test_discords_intents_are_those_of_the_events_it_reads() -> None:
    """The events named in the code want just the intents that the gateway is asked for."""
    folder = PACKAGE / "platforms" / "discord"
    read = {name for path in folder.glob("*.py") for name in texts(path)} & known_events()
    assert intents_of(read) == set(discord_needs.INTENTS)
    flags = {name.lower(): True for name in discord_needs.INTENTS}
    theirs = {"guild_messages": "guild_messages", "direct_messages": "dm_messages"}
    wanted = discord.Intents(**{theirs.get(name, name): on for name, on in flags.items()})
    assert wanted.value == discord_needs.INTENT_BITS


def test_discords_permissions_have_the_vendors_bits() -> None:
    """discord.py gives the same number to permissions of the same names."""
    plain = {"View Channels": "view_channel"}
    names = [plain.get(name, name.lower().replace(" ", "_")) for name in discord_needs.PERMISSIONS]
    wanted = discord.Permissions(**dict.fromkeys(names, True))
    assert wanted.value == discord_needs.PERMISSION_BITS


def test_a_broader_scope_does_as_well() -> None:
    """Feishu's im:message opens what the narrower ones do; what is unusual is not missed."""
    needs = declared("feishu").needs().scopes
    broad = {"im:message", "im:message.group_msg", "im:message.p2p_msg", "im:resource:upload"}
    assert lacking(needs, broad) == ()
    assert "im:resource" in lacking(needs, {"im:message"})


def texts(path: Path) -> set[str]:
    """Return every text of a file that is written out."""
    return {
        node.value
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
