"""Who a message names: the tokens in its text, the people behind them, and whether the bot is one.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/events/receive
"""

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import Final

from threadline.core.command import recognise
from threadline.core.posting import Credentials
from threadline.platforms.feishu.payload import Fields, section, sections, text

EVERYBODY: Final = "@_all"
_TOKEN: Final = re.compile(r"@_user_[0-9]+|@_all(?![A-Za-z0-9_])")
_LEADING: Final = re.compile(rf"\s*({_TOKEN.pattern})[\s,:，：]*")


@dataclass(slots=True)
class Mentions:
    """The names behind the tokens of one message; `ours` are the tokens that mean this bot."""

    names: Mapping[str, str]
    ours: frozenset[str]

    def heard(self, words: str) -> str:
        """Give the text as the bot should read it.

        The bot's own name at the very beginning only addresses it. Before a command any name is
        left out; everywhere else tokens become names.
        """
        rest = _without_leading(words, self.ours)
        bare = _without_leading(rest, self.names)
        if recognise(bare) is not None:
            rest = bare
        return self.spelled(rest or words).strip()

    def spelled(self, words: str) -> str:
        """Write names in place of tokens; a token nobody stands behind was typed and stays."""
        if "@_" not in words:
            return words
        return _TOKEN.sub(lambda found: self._name(found[0]), words)

    def _name(self, token: str) -> str:
        return f"@{self.names[token]}" if self.names.get(token) else token


def mentions_of(message: Fields, credentials: Credentials) -> Mentions:
    """Read whom a message names."""
    names, ours = {EVERYBODY: "all"}, set()
    for mention in sections(message, "mentions"):
        token = text(mention, "key")
        if _TOKEN.fullmatch(token):
            names[token] = text(mention, "name")
            if token != EVERYBODY and _means(mention, credentials):
                ours.add(token)
    return Mentions(names, frozenset(ours))


def _means(mention: Fields, credentials: Credentials) -> bool:
    """Tell whether a mention means this bot: by its id, else by its name, else by its kind.

    Where nobody said who the bot is, any bot counts: usually Feishu delivers only what names ours.
    """
    if credentials.identity:
        return text(section(mention, "id"), "open_id") == credentials.identity
    if text(mention, "mentioned_type") == "user":
        return False
    if credentials.identity_name:
        return text(mention, "name") == credentials.identity_name
    return text(mention, "mentioned_type") == "bot"


def _without_leading(words: str, tokens: Container[str]) -> str:
    """Cut the tokens at the beginning that are among these."""
    while (found := _LEADING.match(words)) and found[1] in tokens:
        words = words[found.end() :]
    return words.strip()
