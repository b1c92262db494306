"""What came of an app's deliveries lately, out of the log: what was taken, what was refused."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from threadline.app.logline import Line
from threadline.core.reasons import Reason

_TAKEN: Final = frozenset({Reason.ACCEPTED, Reason.KEPT_ASIDE})
_REFUSED: Final = frozenset(
    {Reason.NO_ROUTE, Reason.SIGNATURE, Reason.STALE_SIGNATURE, Reason.TOO_LARGE}
)


@dataclass(frozen=True, slots=True)
class Heard:
    """When each type of event was last taken, and what was refused after that (epoch seconds)."""

    taken: Mapping[str, float] = field(default_factory=dict)
    refused: Mapping[str, float] = field(default_factory=dict)

    def told(self, now: float) -> str:
        """Say it: the latest first."""
        latest = sorted(self.taken.items(), key=lambda one: -one[1])
        return ", ".join(f"{name} {ago(now - at)} ago" for name, at in latest)


def heard(lines: Iterable[Line], platform: str, app: str) -> Heard:
    """Read the log, oldest first."""
    taken: dict[str, float] = {}
    refused: dict[str, float] = {}
    for line in lines:
        if line.get("event") != "delivery":
            continue
        if (line.get("platform"), line.get("app")) != (platform, app):
            continue
        reason, at = str(line.get("reason", "")), line.get("at")
        moment = float(at) if isinstance(at, int | float) else 0.0
        if reason in _TAKEN:
            taken[str(line.get("type") or "a message")] = moment
            refused.clear()
        elif reason in _REFUSED:
            refused[reason] = moment
    return Heard(taken, refused)


def ago(seconds: float) -> str:
    """Say how long ago something was; a clock ahead of ours makes nothing older."""
    if seconds < 0:
        return "a moment"
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        count = int(seconds // length)
        if count:
            return f"{count} {unit}{'s' * (count > 1)}"
    return "a moment"
