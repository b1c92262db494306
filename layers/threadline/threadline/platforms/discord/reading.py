"""Whether the bot may read what people write, as far as their messages show it.

Without Message Content Intent a message of a server comes without its words, files and embeds, but
for those that call the bot. A session that began with the intent is not told that it is gone.
https://docs.discord.com/developers/events/gateway#message-content-intent
"""

from dataclasses import dataclass
from typing import Final, Self

from threadline.platforms.discord.payload import Fields, flag, number, section, snowflake, text

LOST_AFTER: Final = 3
"""Messages without anything in them, one after another, that are no chance."""

UNREAD: Final = "unread"
"""The name in the cursor that says that a new session has to show whether the bot may read."""

HIDDEN: Final = "nothing came with it: may the bot read, see Message Content Intent"
SAID: Final = frozenset({0, 19})
"""Types of what people write: a message and a reply; all others are about the channel."""

_READ: Final = ("content", "attachments", "embeds", "components", "poll")
_TOLD_ANYWAY: Final = ("sticker_items", "message_snapshots", "activity", "application")


@dataclass(frozen=True, slots=True)
class Reading:
    """How many messages came empty in a row, the first of them at `since`, epoch seconds."""

    empty: int = 0
    since: float = 0.0

    @property
    def lost(self) -> bool:
        """Whether the bot may no longer read."""
        return self.empty >= LOST_AFTER

    def after(self, readable: bool | None, now: float) -> Self:  # noqa: FBT001 - what was seen
        """Give what is known after a message that `shows` this."""
        if readable is None:
            return self
        if readable:
            return type(self)()
        return type(self)(self.empty + 1, self.since or now)


def shows(message: Fields, bot: str, *, addressed: bool) -> bool | None:
    """Tell whether a message shows that the bot may read, or may not; None where it shows neither.

    `addressed`: it calls the bot, so that its words come in any case.
    """
    author = section(message, "author")
    of_people = not (flag(author, "bot") or snowflake(author, "id") == bot)
    if not (of_people and snowflake(message, "guild_id")) or text(message, "webhook_id"):
        return None
    if addressed or flag(message, "mention_everyone") or number(message, "type") not in SAID:
        return None
    if any(message.get(name) for name in _READ):
        return True
    return None if any(message.get(name) for name in _TOLD_ANYWAY) else False
