"""Hidden context never leaves: a marker in outgoing text stops it, across chunk boundaries too."""

from dataclasses import dataclass
from typing import Final

MARKERS: Final = ("<memory>", "<durable_context_data>", "<system-reminder>")
_LONGEST: Final = max(len(marker) for marker in MARKERS)


def hides_context(text: str) -> bool:
    """Tell whether the text holds a marker, in any case."""
    folded = text.lower()
    return any(marker in folded for marker in MARKERS)


def showable(text: str) -> str:
    """Cut the text where a marker begins, or may be beginning at its end."""
    folded = text.lower()
    for marker in MARKERS:
        found = folded.find(marker)
        if found >= 0:
            text, folded = text[:found], folded[:found]
    for length in range(min(_LONGEST - 1, len(folded)), 0, -1):
        if any(marker.startswith(folded[-length:]) for marker in MARKERS):
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
