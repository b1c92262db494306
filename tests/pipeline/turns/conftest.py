"""Gives simulations of the whole path, closed when the test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.discord import DiscordSimulation
from tests.simulation.world import Simulation


@pytest.fixture
def simulate(tmp_path: Path) -> Iterator[Callable[..., Simulation]]:
    """Give a maker of simulations."""
    made: list[Simulation] = []

    def make(**how: Any) -> Simulation:
        made.append(Simulation(tmp_path / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def serve_discord(tmp_path: Path) -> Iterator[Callable[..., DiscordSimulation]]:
    """Give a maker of Discord servers."""
    made: list[DiscordSimulation] = []

    def make(**how: Any) -> DiscordSimulation:
        made.append(DiscordSimulation(tmp_path / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()
