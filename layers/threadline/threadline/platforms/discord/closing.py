"""What it means that Discord closed the connection.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes
"""

from types import MappingProxyType
from typing import Final

from threadline.core.socket import End

PORTAL: Final = "https://discord.com/developers/applications"
SESSION_OVER: Final = frozenset({4003, 4007, 4009})
"""After these a session cannot be resumed: a new one has to be begun."""

LIMITED: Final = 4008
WRONG_TOKEN: Final = 4004
MAY_NOT_READ: Final = 4014
_SHARDS: Final = (
    "Discord wants this bot's servers spread over several connections, which Threadline does not do"
)

REFUSED: Final = MappingProxyType(
    {
        WRONG_TOKEN: (
            "Discord does not know this bot token: make a new one at "
            f"{PORTAL} > Bot > Reset Token, and put it in place: threadline secrets set discord"
        ),
        4010: _SHARDS,
        4011: _SHARDS,
        4012: "Discord no longer speaks version 10 of its gateway: update Threadline",
        4013: "Discord does not know what Threadline asked to hear: update Threadline",
        MAY_NOT_READ: (
            "the bot may not read what people write: switch on Message Content Intent at "
            f"{PORTAL} > Bot > Privileged Gateway Intents, and save"
        ),
    }
)
"""Codes after which trying again is no use, and what a person has to do."""


def judge(code: int, reason: str) -> End:
    """Say whether to come back, and after how long at least."""
    if code in REFUSED:
        return End(REFUSED[code], refused=True)
    shown = reason[:80] if reason.isprintable() else ""
    why = f"Discord closed the connection ({code}{f' {shown}' if shown else ''})"
    return End(why, wait=10.0 if code == LIMITED else 0.0)
