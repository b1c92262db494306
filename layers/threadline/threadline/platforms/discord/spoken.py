"""Whether a message speaks to this bot, and its text as the bot should read it.

https://docs.discord.com/developers/reference#message-formatting
"""

import base64
import binascii
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from threadline.core.posting import Credentials
from threadline.platforms.discord.payload import (
    Fields,
    as_id,
    ids,
    section,
    sections,
    snowflake,
    text,
)

_MENTION: Final = re.compile(r"<@([!&]?)([0-9]{1,20})>")
_EMOJI: Final = re.compile(r"<a?(:\w{1,40}:)[0-9]{1,20}>")
_LONGEST_QUOTE: Final = 1000


@dataclass(frozen=True, slots=True)
class Heard:
    """The text without what only addressed it; `addressed`: it calls the bot or replies to it."""

    text: str
    addressed: bool


def own_id(credentials: Credentials) -> str:
    """Give the bot's own id: it stands at the head of its token, too."""
    head = credentials.secret("bot_token").partition(".")[0]
    if credentials.identity or not head:
        return as_id(credentials.identity)
    try:
        return as_id(base64.b64decode(head + "=" * (-len(head) % 4), "-_").decode())
    except (binascii.Error, ValueError):
        return ""


def hear(message: Fields, bot: str, roles: Collection[str]) -> Heard:
    """Read the text: the bot's mentions go, other people's names are written out.

    `roles` are those that mean this bot and nobody else.
    """
    words = text(message, "content")
    names = {snowflake(one, "id"): _name(one) for one in sections(message, "mentions")}
    called = {("", bot), ("!", bot), *(("&", role) for role in roles)}
    addressed = (
        bot in names
        or not set(roles).isdisjoint(ids(message, "mention_roles"))
        or replies_to_bot(message, bot)
        or any((kind, who) in called for kind, who in _MENTION.findall(words))
    )
    shown = _MENTION.sub(lambda found: _written(found, called, names), words)
    shown = _EMOJI.sub(r"\1", shown)
    return Heard(re.sub(r"(?<=\S) {2,}", " ", shown).strip().lstrip(",:").strip(), addressed)


def replies_to_bot(message: Fields, bot: str) -> bool:
    """Tell whether the message is a reply to one of the bot's."""
    answered = section(message, "referenced_message")
    return bool(bot) and snowflake(section(answered, "author"), "id") == bot


def quoted(message: Fields, bot: str) -> str:
    """Give what the message replies to or passes on, where the agent cannot know it, as a quote."""
    passed_on = [
        text(section(one, "message"), "content") for one in sections(message, "message_snapshots")
    ]
    answered = "" if replies_to_bot(message, bot) else text(
        section(message, "referenced_message"), "content"
    )  # fmt: skip
    words = "\n".join(filter(None, (answered, *passed_on))).strip()[:_LONGEST_QUOTE]
    return "\n".join(f"> {line}" for line in words.splitlines())


def _written(
    found: re.Match[str], called: Collection[tuple[str, str]], names: Mapping[str, str]
) -> str:
    if (found[1], found[2]) in called:
        return " "
    name = names.get(found[2], "") if found[1] != "&" else ""
    return f"@{name}" if name else found[0]


def _name(user: Fields) -> str:
    nick = text(section(user, "member"), "nick")
    return nick or text(user, "global_name") or text(user, "username")
