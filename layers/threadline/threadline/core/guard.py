"""Hidden context never leaves: a marker in outgoing text stops it, across chunk boundaries too."""

import re
from dataclasses import dataclass
from typing import Final

MARKERS: Final = ("<memory>", "<durable_context_data>", "<system-reminder>")
_LONGEST: Final = max(len(marker) for marker in MARKERS)
_MARKER: Final = re.compile("|".join(map(re.escape, MARKERS)), re.IGNORECASE | re.ASCII)


def hides_context(text: str) -> bool:
    """Tell whether the text holds a marker, in any case."""
    return _MARKER.search(text) is not None


def showable(text: str) -> str:
    """Cut the text where a marker begins, or may be beginning at its end."""
    if found := _MARKER.search(text):
        text = text[: found.start()]
    for length in range(min(_LONGEST - 1, len(text)), 0, -1):
        end = text[-length:]
        if end.isascii() and any(marker.startswith(end.lower()) for marker in MARKERS):
            return text[:-length]
    return text


@dataclass(frozen=True, slots=True)
class Checked:
    """Final text after the guard: what may be said, and whether something was held back."""

    text: str
    withheld: bool


def check(text: str) -> Checked:
    """Keep what stands before a marker of a final text and say whether one was there."""
    if not hides_context(text):
        return Checked(text, withheld=False)
    return Checked(showable(text).rstrip(), withheld=True)
