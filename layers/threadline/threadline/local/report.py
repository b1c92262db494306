"""What `serve` tells the person who started it: pure text out of settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from threadline.app.configure.surroundings import DEFAULT_APP, PlatformStatus

PLAYGROUND = "playground"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the front door is: `url` on this machine, `public` for the platforms or ""."""

    url: str
    public: str = ""

    @property
    def playground(self) -> str:
        """The page to open."""
        return f"{self.url}/playground"


def table(rows: Sequence[PlatformStatus], place: Place) -> str:
    """List each platform and app: on or off, why, and the address to register."""
    lines = [(_name(row), "on" if row.on else "off", _what(row, place)) for row in rows]
    widths = [max((len(line[column]) for line in lines), default=0) for column in (0, 1)]
    return "\n".join(
        f"  {name:<{widths[0]}}  {state:<{widths[1]}}  {what}" for name, state, what in lines
    )


def hints(rows: Sequence[PlatformStatus], place: Place) -> tuple[str, ...]:
    """Give what is left to do or to open, a line each."""
    said = []
    if any(row.webhook for row in rows) and not place.public:
        said.append(
            f"Platforms cannot reach this machine yet: start a tunnel to {place.url} and set"
            " THREADLINE_PUBLIC_URL to its address before the next start."
        )
    if any(row.on and row.platform == PLAYGROUND for row in rows):
        said.append(f"Open {place.playground}")
    return tuple(said)


def _name(row: PlatformStatus) -> str:
    return row.platform if row.app == DEFAULT_APP else f"{row.platform}/{row.app}"


def _what(row: PlatformStatus, place: Place) -> str:
    if not row.webhook:
        return row.why
    where = f"{place.public}{row.webhook}" if place.public else f"<public address>{row.webhook}"
    return f"{row.why}; register {where}"
