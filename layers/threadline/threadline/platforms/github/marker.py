"""The hidden line in each comment of ours, by which it is found again and never answered."""

import re
from typing import Final

_MARK: Final = "<!-- threadline:{nonce} -->"
_ANY_MARK: Final = re.compile(r"<!-- threadline:[0-9a-f]{32} -->")

LENGTH: Final = len(_MARK.format(nonce="0" * 32) + "\n")


def marked(text: str, nonce: str) -> str:
    """Put the line above the text: below it, a code block left open would show it."""
    return f"{_MARK.format(nonce=nonce)}\n{text}"


def bears(text: str, nonce: str) -> bool:
    """Tell whether a comment is the one posted under this nonce."""
    return _MARK.format(nonce=nonce) in text


def is_ours(text: str) -> bool:
    """Tell whether Threadline wrote a comment."""
    return _ANY_MARK.search(text) is not None
