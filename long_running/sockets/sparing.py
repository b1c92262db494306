"""Notes of a socket for the log, told sparingly: whoever sends much must not fill it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from threadline.core.socket import Note

MOST: Final = 10
WINDOW: Final = 60.0

type Told = Callable[[Note], None]


@dataclass(slots=True)
class Sparing:
    """Passes on ten notes of one code a minute, and then says how many there were besides."""

    told: Told
    clock: Callable[[], float]
    _since: dict[str, float] = field(default_factory=dict)
    _counts: dict[str, int] = field(default_factory=dict)

    def __call__(self, note: Note) -> None:
        """Pass a note on, or count it."""
        now = self.clock()
        if now - self._since.get(note.code, now - WINDOW) >= WINDOW:
            self._tell_rest(note.code)
            self._since[note.code], self._counts[note.code] = now, 0
        self._counts[note.code] += 1
        if self._counts[note.code] <= MOST:
            self.told(note)
        elif self._counts[note.code] == MOST + 1:
            self.told(Note(note.code, "more of the same is counted, and told in a minute"))

    def _tell_rest(self, code: str) -> None:
        besides = self._counts.get(code, 0) - MOST
        if besides > 0:
            self.told(Note(code, f"{besides} more in the last minute"))
