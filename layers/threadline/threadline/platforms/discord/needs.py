"""What a Discord bot must be allowed and be sent: the one place that says so.

https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
https://docs.discord.com/developers/events/gateway#gateway-intents
"""

from functools import reduce
from operator import or_
from types import MappingProxyType
from typing import Final

from threadline.core.json import Json, JsonObject
from threadline.core.setup import Need, Needs

PERMISSIONS: Final = MappingProxyType(
    {
        "View Channels": (1 << 10, "there is no answer there"),
        "Send Messages": (1 << 11, "there is no answer there"),
        "Send Messages in Threads": (1 << 38, "there is no answer in threads"),
        "Create Public Threads": (1 << 35, "answers stand in the channel, as replies"),
        "Read Message History": (
            1 << 16,
            "answers are no replies, and nothing is made up for after a gap",
        ),
        "Attach Files": (1 << 15, "files of the agent's are not posted"),
        "Add Reactions": (1 << 6, "failures and refusals are not marked"),
    }
)
"""The bit of each permission in a server, and what is so without it."""

INTENTS: Final = MappingProxyType(
    {
        "GUILDS": (1 << 0, "servers, their channels and threads"),
        "GUILD_MESSAGES": (1 << 9, "messages in them"),
        "DIRECT_MESSAGES": (1 << 12, "direct messages"),
        "MESSAGE_CONTENT": (1 << 15, "what messages say; privileged, switched on by a person"),
    }
)
"""The bit of each intent, and what the gateway tells for it."""

NEEDS: Final = Needs(
    scopes=tuple(Need(name, without) for name, (_, without) in PERMISSIONS.items()),
    events=tuple(Need(name, use) for name, (_, use) in INTENTS.items()),
)
INVITED_WITH: Final = ("bot", "applications.commands")
PERMISSION_BITS: Final = reduce(or_, (bit for bit, _ in PERMISSIONS.values()))
INTENT_BITS: Final = reduce(or_, (bit for bit, _ in INTENTS.values()))

_TEXT: Final = 3
_WHAT_TO_ASK: Final[JsonObject] = {
    "type": _TEXT,
    "name": "text",
    "description": "what to ask",
    "required": True,
}
COMMANDS: Final[tuple[JsonObject, ...]] = (
    {"name": "ask", "description": "ask the agent", "options": [_WHAT_TO_ASK]},
    {"name": "new", "description": "start over"},
    {"name": "stop", "description": "stop the run"},
    {"name": "status", "description": "what is going on"},
    {"name": "help", "description": "what I can do"},
)
"""The slash commands as they are registered; every one but `ask` is a command of ours.

https://docs.discord.com/developers/interactions/application-commands
"""


def invitation(application: str) -> str:
    """Give the address by which somebody adds the bot to a server."""
    scopes = "+".join(INVITED_WITH)
    return (
        f"https://discord.com/oauth2/authorize?client_id={application}&scope={scopes}"
        f"&permissions={PERMISSION_BITS}"
    )


def names(commands: tuple[JsonObject, ...] = COMMANDS) -> tuple[str, ...]:
    """Name the commands."""
    return tuple(_name(command) for command in commands)


def _name(command: JsonObject) -> str:
    name: Json = command["name"]
    return str(name)
