"""A message as it is handed to parse: what Discord said of it, and what is known of its place."""

import json

from threadline.core.json import Json
from threadline.platforms.discord.known import Known
from threadline.platforms.discord.payload import Fields, section, snowflake


def body(kind: str, message: Fields, known: Known, bot: str) -> bytes:
    """Write the delivery; nothing for the bot's own messages, which no one needs to read."""
    if bot and snowflake(section(message, "author"), "id") == bot:
        return b""
    place: dict[str, Json] = known.place(message)
    return json.dumps({"t": kind, "d": message, "place": place}, separators=(",", ":")).encode()
