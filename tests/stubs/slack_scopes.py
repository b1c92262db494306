"""Which scope each method of Slack's Web API wants, as its pages list them.

https://docs.slack.dev/reference/methods
https://docs.slack.dev/reference/events
"""

from collections.abc import Collection
from types import MappingProxyType
from typing import Final

from tests.stubs.slack_rules import Refusal

OF_METHODS: Final = MappingProxyType(
    {
        "chat.postMessage": "chat:write",
        "chat.postEphemeral": "chat:write",
        "chat.update": "chat:write",
        "reactions.add": "reactions:write",
        "files.info": "files:read",
        "files.getUploadURLExternal": "files:write",
        "files.completeUploadExternal": "files:write",
    }
)
OF_HISTORIES: Final = MappingProxyType(
    {
        "channel": "channels:history",
        "group": "groups:history",
        "im": "im:history",
        "mpim": "mpim:history",
    }
)
"""What `conversations.history` and `conversations.replies` want, by the kind of conversation."""

OF_EVENTS: Final = MappingProxyType(
    {
        "app_mention": "app_mentions:read",
        "message.channels": "channels:history",
        "message.groups": "groups:history",
        "message.im": "im:history",
        "message.mpim": "mpim:history",
    }
)
OF_SLASH_COMMANDS: Final = "commands"
OF_SOCKETS: Final = "connections:write"
EVERY: Final = frozenset(
    {*OF_METHODS.values(), *OF_HISTORIES.values(), *OF_EVENTS.values(), OF_SLASH_COMMANDS}
)


def check_scope(method: str, kind: str, granted: Collection[str]) -> None:
    """Refuse a call for which the token has no scope."""
    history = method in {"conversations.history", "conversations.replies"}
    needed = OF_HISTORIES[kind] if history else OF_METHODS.get(method, "")
    if needed and needed not in granted:
        raise Refusal("missing_scope", needed=needed, provided=",".join(sorted(granted)))


def check_socket(granted: Collection[str], *, on: bool) -> None:
    """Refuse to open a connection without the scope for it, or while Socket Mode is off.

    https://docs.slack.dev/reference/methods/apps.connections.open
    """
    if OF_SOCKETS not in granted:
        raise Refusal("missing_scope", needed=OF_SOCKETS, provided=",".join(sorted(granted)))
    if not on:
        raise Refusal("socket_mode_not_enabled")
