"""What the tests of the deployed artifacts share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.aws import artifact
from tests.aws.emulated import Emulated, on_ministack


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Give the folder into which functions and layers were built."""
    return artifact.build(tmp_path_factory.mktemp("built") / "artifacts")


@pytest.fixture
def emulated(tmp_path: Path) -> Iterator[Emulated]:
    """Give the full backends on the emulator, which checks every signature."""
    with on_ministack(tmp_path) as opened:
        yield opened
