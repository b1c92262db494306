from collections.abc import Iterator
from pathlib import Path

import pytest

from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database


@pytest.fixture
def clock() -> VirtualClock:
    """Give a clock that stands still."""
    return VirtualClock()


@pytest.fixture
def database(tmp_path: Path, clock: VirtualClock) -> Iterator[Database]:
    """Give an empty database in that time."""
    with Database(tmp_path / "threadline.db", clock) as opened:
        yield opened
