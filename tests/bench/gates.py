"""What a benchmark promises, as rows of a table: ours, the peer's, and the most they may differ."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured comparison; `promised` is the most that ours is to be of the peer's.

    Where that is not reached yet, `held` is what must not be lost again meanwhile.
    """

    what: str
    ours: float
    peer: float
    unit: str
    promised: float
    held: float | None = None

    @property
    def ratio(self) -> float:
        """Ours over the peer's."""
        return self.ours / self.peer

    @property
    def kept(self) -> bool:
        """Whether the promise is kept."""
        return self.ratio <= self.promised

    @property
    def broken(self) -> bool:
        """Whether it is worse than what must hold already."""
        return self.ratio > (self.promised if self.held is None else self.held)

    def __str__(self) -> str:
        verdict = "holds" if self.kept else "BROKEN" if self.broken else "falls short"
        if self.held is not None and not self.kept:
            verdict += f" (held to {self.held})"
        figures = f"{figure(self.ours)} to {figure(self.peer)} {self.unit}"
        return f"{self.what:<58} {figures:<28} {self.ratio:>6.3f} ≤ {self.promised:<5} {verdict}"


@dataclass(frozen=True, slots=True)
class Gate:
    """A benchmark: its name on the command line, what it compares, and how it is measured."""

    name: str
    title: str
    measure: Callable[[], Iterator[Row]]


def figure(value: float) -> str:
    """Write a measured value with three figures that count."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
