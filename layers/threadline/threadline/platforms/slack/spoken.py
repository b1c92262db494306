"""What a person wrote, as people see it: control sequences resolved, the bot's own name removed.

https://docs.slack.dev/messaging/formatting-message-text
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_CONTROL: Final = re.compile(r"<([^<>\n]*)>")
_BROADCASTS: Final = frozenset({"here", "channel", "everyone"})


@dataclass(slots=True)
class Bot:
    """This app's own account, as far as it is known; `name` is without the @."""

    id: str
    name: str


@dataclass(slots=True)
class Heard:
    """A text without what only addressed the bot."""

    text: str
    addressed: bool


def hear(raw: str, bot: Bot) -> Heard:
    """Read a text: one mention of the bot at its very beginning is left out, others stay."""
    raw = raw.strip()
    if not bot.id or bot.id not in raw:
        return Heard(visible(raw, bot), addressed=False)
    mention, at_the_beginning = _mentions(bot.id)
    first = at_the_beginning.match(raw)
    if first is None:
        return Heard(visible(raw, bot).strip(), addressed=mention.search(raw) is not None)
    return Heard(visible(raw[first.end() :] or raw, bot).strip(), addressed=True)


@lru_cache(maxsize=64)
def _mentions(bot: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Give what a mention of a bot looks like, anywhere and at the very beginning."""
    mention = rf"<@!?{bot}(?:\|[^<>]*)?>"
    return re.compile(mention), re.compile(rf"{mention}[\s,:]*")


def visible(raw: str, bot: Bot) -> str:
    """Resolve mentions, channels, links and the three escaped characters."""
    if "<" in raw:
        raw = _CONTROL.sub(lambda found: _resolved(found[1], bot), raw)
    return _plain(raw)


def _resolved(inner: str, bot: Bot) -> str:
    """Write one control sequence as people see it, still with escaped characters."""
    target, bar, label = inner.partition("|")
    match target[:1]:
        case "@":
            user = target[1:].removeprefix("!")
            known = bot.name if user == bot.id else ""
            return f"@{label or known or user}"
        case "#":
            return f"#{label or target[1:]}"
        case "!":
            return _special(target[1:], label)
        case _ if not target:
            return f"&lt;{inner}&gt;"
        case _:
            return _link(target, label if bar else "")


def _special(command: str, label: str) -> str:
    if command in _BROADCASTS:
        return f"@{command}"
    return label or command.partition("^")[2] or command


def _link(address: str, label: str) -> str:
    """Write a link as Markdown, or bare where its label says no more than its address."""
    bare = address.partition(":")[2].removeprefix("//")
    if not label or label.rstrip("/") in {address.rstrip("/"), bare.rstrip("/")}:
        return label if label and address.startswith(("mailto:", "tel:")) else address
    return f"[{label}]({address})"


def _plain(escaped: str) -> str:
    """Undo the only three escapes that Slack knows, the ampersand last."""
    if "&" not in escaped:
        return escaped
    return escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
