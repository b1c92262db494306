"""What Slack refuses of an app manifest, as `apps.manifest.validate` words it.

https://docs.slack.dev/reference/app-manifest
https://docs.slack.dev/reference/methods/apps.manifest.validate
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.stubs.slack_scopes import EVERY, OF_EVENTS, OF_SLASH_COMMANDS

FIELDS = {
    "": {"_metadata", "display_information", "features", "oauth_config", "settings"},
    "display_information": {"name", "description", "long_description", "background_color"},
    "features": {"app_home", "bot_user", "shortcuts", "slash_commands"},
    "features/app_home": {
        "home_tab_enabled", "messages_tab_enabled", "messages_tab_read_only_enabled",
    },
    "features/bot_user": {"display_name", "always_online"},
    "oauth_config": {"redirect_urls", "scopes"},
    "oauth_config/scopes": {"bot", "user"},
    "settings": {
        "allowed_ip_address_ranges", "event_subscriptions", "interactivity",
        "org_deploy_enabled", "socket_mode_enabled", "token_rotation_enabled",
    },
    "settings/event_subscriptions": {"request_url", "bot_events", "user_events"},
    "settings/interactivity": {"is_enabled", "request_url", "message_menu_options_url"},
}  # fmt: skip
COMMAND = {"command", "url", "description", "usage_hint", "should_escape"}


def faults(manifest: Mapping[str, Any]) -> list[str]:
    """List what is wrong, each with its place."""
    return [*_shape(manifest), *_addresses(manifest), *_commands(manifest), *_scopes(manifest)]


def _shape(manifest: Mapping[str, Any]) -> Iterator[str]:
    for place, known in FIELDS.items():
        found: Any = manifest
        for step in place.split("/") if place else ():
            found = found.get(step, {})
        yield from (f"/{place}/{name}: unknown" for name in set(found) - known)
    name = manifest.get("display_information", {}).get("name", "")
    if not 1 <= len(name) <= 35:
        yield "/display_information/name: 1 to 35 characters"


def _addresses(manifest: Mapping[str, Any]) -> Iterator[str]:
    settings = manifest["settings"]
    socket = settings.get("socket_mode_enabled", False)
    events, pressing = settings["event_subscriptions"], settings["interactivity"]
    if not socket and not events.get("request_url"):
        yield "Event Subscription requires either Request URL or Socket Mode Enabled"
    if pressing.get("is_enabled") and not socket and not pressing.get("request_url"):
        yield "Interactivity requires a Request URL"
    for told in (events, pressing):
        if not told.get("request_url", "https://").startswith("https://"):
            yield "request_url: must be https"


def _commands(manifest: Mapping[str, Any]) -> Iterator[str]:
    socket = manifest["settings"].get("socket_mode_enabled", False)
    for one in manifest["features"].get("slash_commands", []):
        yield from (f"/features/slash_commands/{name}: unknown" for name in set(one) - COMMAND)
        if not one["command"].startswith("/") or len(one["command"]) > 32:
            yield "/features/slash_commands/command"
        if not one.get("description") or len(one["description"]) > 2000:
            yield "/features/slash_commands/description"
        if not socket and not one.get("url", "").startswith("https://"):
            yield "/features/slash_commands/url"


def _scopes(manifest: Mapping[str, Any]) -> Iterator[str]:
    scopes = manifest["oauth_config"]["scopes"]["bot"]
    yield from (f"unknown scope {name}" for name in set(scopes) - EVERY)
    for event in manifest["settings"]["event_subscriptions"]["bot_events"]:
        if event not in OF_EVENTS:
            yield f"unknown event {event}"
        elif OF_EVENTS[event] not in scopes:
            yield f"{event} requires {OF_EVENTS[event]}"
    if manifest["features"].get("slash_commands") and OF_SLASH_COMMANDS not in scopes:
        yield "slash commands require the scope commands"
