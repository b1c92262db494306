"""Foreign words in a log line or on a terminal."""

from typing import Final

MOST: Final = 200


def plain(text: str) -> str:
    """Give foreign text as it is, lines too, without anything else that a terminal would obey."""
    return "".join(char if char.isprintable() or char == "\n" else " " for char in text)


def legible(text: str) -> str:
    """Give foreign text in one line, bounded, without anything that a terminal would obey."""
    return "".join(char if char.isprintable() else " " for char in text[:MOST]).strip()
