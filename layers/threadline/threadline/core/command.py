"""Chat commands: recognised at the very start of the text, in any case."""

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import dropwhile
from typing import Final


class CommandName(StrEnum):
    """The commands Threadline itself answers."""

    HELP = "help"
    STATUS = "status"
    NEW = "new"
    STOP = "stop"
    MODELS = "models"
    MEMORY = "memory"
    GOAL = "goal"
    BOOTSTRAP = "bootstrap"
    START = "start"
    CONNECT = "connect"


@dataclass(frozen=True, slots=True)
class Command:
    """A recognised command and the rest of its line."""

    name: CommandName
    argument: str


IN_TURN: Final = frozenset({CommandName.GOAL, CommandName.BOOTSTRAP})
"""Commands that change a thread of the agent's: each waits for its turn, like a message."""

_WORD: Final = re.compile(r"([^ ]*+) \s*")
_NAMES: Final = {str(name): name for name in CommandName}


def recognise(text: str, *, addressed: bool = False) -> Command | None:
    """Read a command; other text that begins with `/` (paths, skills) is chat and gives None.

    In an addressed message mentions may stand before it.
    """
    if addressed:
        text = _without_mentions(text)
    if not text.startswith("/"):
        return None
    head, _, rest = text.partition(" ")
    head, newline, line_rest = head.partition("\n")
    name = _NAMES.get(head[1:].lower())
    if name is None:
        return None
    return Command(name, (line_rest + " " + rest if newline else rest).strip())


def connect_code(text: str) -> str:
    """Read the code of `/connect CODE` or `/start CODE` behind any leading mentions, else ""."""
    words = [*dropwhile(_is_mention, text.split())]
    if len(words) >= 2 and words[0].lower() in {"/connect", "/start"}:
        return words[1]
    return ""


def _without_mentions(text: str) -> str:
    at = 0
    while (word := _WORD.match(text, at)) and word.end() < len(text) and _is_mention(word[1]):
        at = word.end()
    return text[at:]


def _is_mention(word: str) -> bool:
    return (word.startswith("@") and len(word) > 1) or (
        word.startswith("<@") and word.endswith(">") and len(word) > 3
    )
