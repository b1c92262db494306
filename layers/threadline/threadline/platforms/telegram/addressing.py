"""Whether a message speaks to this bot, and its text as the bot should read it.

Entities point into the text in UTF-16 code units: https://core.telegram.org/bots/api#messageentity
"""

from collections.abc import Iterator
from dataclasses import dataclass

from threadline.core.command import recognise
from threadline.core.posting import Credentials
from threadline.platforms.telegram.payload import Fields, number, section, sections, text


@dataclass(slots=True)
class Bot:
    """This bot's own account; `name` is its username in lower case, without the @."""

    id: int
    name: str


@dataclass(slots=True)
class Heard:
    """The text without what only addressed it; `elsewhere` is another bot that was meant."""

    text: str
    addressed: bool
    elsewhere: str = ""


def bot_of(credentials: Credentials) -> Bot:
    """Give the bot's own account: its id stands at the head of its token, too."""
    known = credentials.identity or credentials.secret("bot_token").partition(":")[0]
    name = credentials.identity_name.removeprefix("@").lower()
    return Bot(int(known) if known.isdecimal() and known.isascii() else 0, name)


def hear(message: Fields, bot: Bot) -> Heard:
    """Read the text or caption: strip `@ThisBot` from a command and from the very beginning.

    Where a group has one bot, people's clients write its commands without its name.
    """
    name = "text" if text(message, "text") else "caption"
    words = text(message, name)
    list_of = "entities" if name == "text" else "caption_entities"
    addressed = _replies_to(message, bot)
    for entity, (start, end) in _placed(words, sections(message, list_of)):
        said = words[start:end]
        match text(entity, "type"):
            case "bot_command" if start == 0 and "@" in said:
                command, _, whose = said.partition("@")
                if bot.name and whose.lower() != bot.name:
                    return Heard(words.strip(), addressed=False, elsewhere=whose)
                if bot.name:
                    return Heard((command + words[end:]).strip(), addressed=True)
            case "bot_command" if start == 0 and recognise(words) is not None:
                addressed = True
            case "mention" if bot.name and said.lower() == f"@{bot.name}":
                addressed = True
                if not words[:start].strip():
                    rest = words[end:].strip().lstrip(",:").strip()
                    return Heard(rest or words.strip(), addressed=True)
            case "text_mention" if _is(section(entity, "user"), bot):
                addressed = True
            case _:
                pass
    return Heard(words.strip(), addressed)


def quoted(message: Fields, bot: Bot) -> str:
    """Give what the message replies to where the agent cannot know it, as a Markdown quote."""
    reply = section(message, "reply_to_message") or {}
    part = section(message, "quote")
    words = text(part, "text") if part else text(reply, "text") or text(reply, "caption")
    if not words.strip() or (part is None and _is(section(reply, "from"), bot)):
        return ""
    shown = words.strip()[:1000]
    return "\n".join(f"> {line}" for line in shown.splitlines())


def _placed(words: str, entities: list[Fields]) -> Iterator[tuple[Fields, tuple[int, int]]]:
    """Give each entity with its place in code points; one outside the text is left out."""
    units = b"" if not entities or words.isascii() else words.encode("utf-16-le")
    size_of_all = len(units) // 2 if units else len(words)
    for entity in entities:
        offset, size = number(entity, "offset"), number(entity, "length")
        if offset is None or size is None or offset < 0 or size < 1:
            continue
        if offset + size <= size_of_all:
            start, end = offset, offset + size
            if units:
                start = len(units[: start * 2].decode("utf-16-le", "replace"))
                end = start + len(units[offset * 2 : end * 2].decode("utf-16-le", "replace"))
            yield entity, (start, end)


def _replies_to(message: Fields, bot: Bot) -> bool:
    reply = section(message, "reply_to_message")
    return reply is not None and _is(section(reply, "from"), bot)


def _is(user: Fields | None, bot: Bot) -> bool:
    return user is not None and bool(bot.id) and number(user, "id") == bot.id
