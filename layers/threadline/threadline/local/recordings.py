"""The recorded events of `events/`: where they lie, and which of them a name means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from threadline.core.errors import ThreadlineError

FOLDER: Final = "events"
ENVIRONMENT: Final = "env.json"
"""The file by which a folder of recordings is known: the functions' environment."""

_SHOWN: Final = 5


class NoRecording(ThreadlineError):
    """No recording has this name, or there are none."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """A folder of recordings, `<platform or function>/<case>.json` each."""

    folder: Path

    def names(self) -> tuple[str, ...]:
        """List them as `<platform or function>/<case>`, sorted."""
        files = (path.relative_to(self.folder) for path in self.folder.glob("*/*.json"))
        names = (path.with_suffix("").as_posix() for path in files)
        return tuple(sorted(name for name in names if not name.endswith(".expect")))

    def path(self, name: str) -> Path:
        """Give the file of a name, which may also be written as its path.

        Raises NoRecording, naming what is nearest and what there is beside it.
        """
        known = self.names()
        wanted = name.removesuffix(".json").removeprefix("./").removeprefix(f"{FOLDER}/")
        if wanted in known:
            return self.folder / f"{wanted}.json"
        raise NoRecording(f"{self.folder} has no {wanted}{_instead(wanted, known)}")


def find(named: Path | None, places: Iterable[Path]) -> Recordings:
    """Take the folder that was named, else the first place that holds recordings.

    Raises NoRecording where there are none.
    """
    tried = [named] if named else list(places)
    for place in tried:
        if (place / ENVIRONMENT).is_file():
            return Recordings(place)
    where = ", ".join(str(place) for place in tried)
    raise NoRecording(f"no recorded events in {where}: name their folder with --events")


def places(here: Path) -> tuple[Path, ...]:
    """Give where recordings are looked for: here, in the checkout, in the installed package."""
    package = Path(__file__).resolve().parent.parent
    return here / FOLDER, package.parents[2] / FOLDER, package / FOLDER


def _instead(wanted: str, known: Sequence[str]) -> str:
    near = get_close_matches(wanted, known, n=_SHOWN, cutoff=0.5)
    group = wanted.partition("/")[0]
    beside = [name.partition("/")[2] for name in known if name.startswith(f"{group}/")]
    nearest = f"; nearest: {', '.join(near)}" if near else ""
    if beside:
        return f"{nearest}; {group} has: {', '.join(beside)}"
    return f"{nearest}; there are: {', '.join(dict.fromkeys(one.split('/')[0] for one in known))}"
