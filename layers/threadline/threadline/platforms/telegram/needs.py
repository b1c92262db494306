"""What a Telegram bot must be sent, and the commands its menu shows.

https://core.telegram.org/bots/api#update
"""

from types import MappingProxyType
from typing import Final

from threadline.core.command import CommandName
from threadline.core.setup import Need, Needs
from threadline.platforms.telegram.parse import ALLOWED_UPDATES

_USES: Final = MappingProxyType(
    {
        "message": "what people write, and files",
        "edited_message": "edits of a message that still waits",
    }
)

NEEDS: Final = Needs(events=tuple(Need(name, _USES[name]) for name in ALLOWED_UPDATES))
"""The kinds of updates; a bot has no scopes, only the privacy of its groups."""

MENU: Final = MappingProxyType(
    {
        CommandName.HELP: "what I can do",
        CommandName.NEW: "start over",
        CommandName.STOP: "stop the run",
        CommandName.STATUS: "what is going on",
    }
)
"""The commands people see in the menu."""

CONNECTIONS: Final = 1
"""Deliveries at once: with one connection updates come in order."""
