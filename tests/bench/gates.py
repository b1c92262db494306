"""What a benchmark promises, as rows of a table: ours, the peer's, and the most they may differ."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured comparison; `limit` is the most that ours may be of the peer's.

    `at_least` turns it round: ours must be the limit times the peer's or more. `aim` is what was
    aimed at where that is not reached; the limit then holds what is.
    """

    what: str
    ours: float
    peer: float
    unit: str
    limit: float
    at_least: bool = False
    aim: float | None = None

    @property
    def ratio(self) -> float:
        """Ours over the peer's."""
        return self.ours / self.peer

    @property
    def holds(self) -> bool:
        """Whether the promise is kept."""
        return self.ratio >= self.limit if self.at_least else self.ratio <= self.limit

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        if self.aim is not None:
            verdict += f" (aimed at {self.aim})"
        figures = f"{figure(self.ours)} to {figure(self.peer)} {self.unit}"
        return f"{self.what:<58} {figures:<28} {self.ratio:>6.3f} {sign} {self.limit:<5} {verdict}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A benchmark: its name on the command line, what it compares, and how it is measured."""

    name: str
    title: str
    measure: Callable[[], Iterator[Row]]


def figure(value: float) -> str:
    """Write a measured value with three figures that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
