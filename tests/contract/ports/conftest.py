"""Enrols the backends, one line each, and lists what an emulator cannot show."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.contract.ports import backends
from tests.contract.ports.backends import Opens, Ports
from threadline.core.ports import Blobs, ItemStore, Queue, Secrets

BACKENDS: Final[dict[str, Opens]] = {
    "embedded": backends.embedded,
}

CANNOT: Final[dict[tuple[str, str], str]] = {}
"""(backend, test) → why: what an emulator gets wrong, or a wait too long for real time."""


@pytest.fixture(params=BACKENDS)
def ports(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    """Give each backend's ports, fresh and empty."""
    name = request.node.originalname
    if why := CANNOT.get((request.param, name)):
        pytest.skip(f"{request.param} cannot show it: {why}")
    with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(ports: Ports) -> ItemStore:
    return ports.store


@pytest.fixture
def fifo(ports: Ports) -> Queue:
    return ports.fifo


@pytest.fixture
def standard(ports: Ports) -> Queue:
    return ports.standard


@pytest.fixture
def blobs(ports: Ports) -> Blobs:
    return ports.blobs


@pytest.fixture
def secrets(ports: Ports) -> Secrets:
    return ports.secrets
