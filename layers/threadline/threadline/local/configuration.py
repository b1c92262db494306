"""`threadline.yaml` while `serve` runs: compiled again when it changes, the last good one kept."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Compiled, Surroundings

LOOK_EVERY: Final = 5.0


@dataclass(slots=True)
class Configuration:
    """Looks at the file and at what stands round it; `publish` gets every good result."""

    file: Path
    around: Callable[[], Surroundings]
    publish: Callable[[Compiled], None]
    _seen: tuple[bytes, Surroundings] | None = None

    def refresh(self) -> Compiled | None:
        """Compile and publish where anything changed since the last look, else give None.

        Raises ConfigError once for each state of the file that has faults; nothing is published
        then.
        """
        found = self._read(), self.around()
        if found == self._seen:
            return None
        self._seen = found
        compiled = compile_settings(*found, self.file.name)
        self.publish(compiled)
        return compiled

    def _read(self) -> bytes:
        try:
            return self.file.read_bytes()
        except FileNotFoundError:
            return b""
