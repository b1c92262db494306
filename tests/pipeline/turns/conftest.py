"""Gives simulations of the whole path, closed when the test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.simulation.discord import DiscordSimulation
from tests.simulation.making import making
from tests.simulation.world import Simulation


@pytest.fixture
def simulate(tmp_path: Path) -> Iterator[Callable[..., Simulation]]:
    """Give a maker of simulations."""
    with making(Simulation, tmp_path) as make:
        yield make


@pytest.fixture
def serve_discord(tmp_path: Path) -> Iterator[Callable[..., DiscordSimulation]]:
    """Give a maker of Discord servers."""
    with making(DiscordSimulation, tmp_path) as make:
        yield make
