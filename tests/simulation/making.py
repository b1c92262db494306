"""Simulations that a test makes as it goes, all closed when it ends."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.simulation.world import Simulation


@contextmanager
def making[S: Simulation](kind: type[S], root: Path) -> Iterator[Callable[..., S]]:
    """Give a maker of one kind, each in a folder of its own below `root`."""
    made: list[S] = []

    def make(**how: Any) -> S:
        made.append(kind(root / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()
