"""How each vendor names a recorded delivery: as the event that had to be subscribed to."""

import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from tests.events import Recorded, recordings
from threadline.platforms.buzz import frames

_SLACK_KINDS: Final = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
_INTENTS: Final = {
    "GUILD_CREATE": {"GUILDS"},
    "GUILD_DELETE": {"GUILDS"},
    "THREAD_CREATE": {"GUILDS"},
    "THREAD_UPDATE": {"GUILDS"},
    "THREAD_DELETE": {"GUILDS"},
    "THREAD_LIST_SYNC": {"GUILDS"},
    "MESSAGE_CREATE": {"GUILD_MESSAGES", "DIRECT_MESSAGES", "MESSAGE_CONTENT"},
    "MESSAGE_UPDATE": {"GUILD_MESSAGES", "DIRECT_MESSAGES", "MESSAGE_CONTENT"},
}
"""https://docs.discord.com/developers/events/gateway#list-of-intents; the last is for content."""


def _slack(recorded: Recorded) -> set[str]:
    event = recorded.payload.get("event", {})
    if event.get("type") != "message":
        return {event["type"]} if event else set()
    return {f"message.{_SLACK_KINDS[event['channel_type']]}"}


def _telegram(recorded: Recorded) -> set[str]:
    return set(recorded.payload) - {"update_id"}


def _github(recorded: Recorded) -> set[str]:
    return {recorded.webhook.headers["x-github-event"]}


def _feishu(recorded: Recorded) -> set[str]:
    header: Mapping[str, Any] = recorded.payload.get("header", {})
    return {header["event_type"]} if header else set()


def _discord(recorded: Recorded) -> set[str]:
    return _INTENTS.get(recorded.payload.get("t", ""), set())


_NAMING: Final[Mapping[str, Callable[[Recorded], set[str]]]] = MappingProxyType(
    {
        "slack": _slack,
        "telegram": _telegram,
        "github": _github,
        "feishu": _feishu,
        "discord": _discord,
    }
)


def led_to_messages(platform: str) -> set[str]:
    """Name the events of every recording that becomes a message."""
    accepted = (one for one in recordings(platform) if one.expect["outcome"] == "accepted")
    return {name for one in accepted for name in _NAMING[platform](one)}


def asked_of_the_relay() -> set[str]:
    """Name the kinds of events that the frames to a Buzz relay ask for."""
    asked = (frames.discover(), frames.memberships("a" * 64, 0), frames.listen("c", 0, 0, 0, 1))
    return {str(kind) for frame in asked for kind in json.loads(frame)[2]["kinds"]}


def intents_of(events: set[str]) -> set[str]:
    """Name the intents without which the gateway does not tell these events."""
    return {intent for event in events for intent in _INTENTS[event]}


def known_events() -> set[str]:
    """Name the events of the gateway whose intent is known here."""
    return set(_INTENTS)
