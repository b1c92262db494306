"""Enrols the backends, one line each, and lists what an emulator cannot show."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import pytest

from tests.contract.ports import backends
from tests.contract.ports.backends import Opens, Ports
from threadline.core.ports import Blobs, ItemStore, Queue, Secrets

BACKENDS: Final[dict[str, Opens]] = {
    "embedded": backends.embedded,
}

CANNOT: Final[dict[tuple[str, str], tuple[Literal["wrong", "slow"], str]]] = {}
"""(backend, test) → what an emulator gets wrong (tried, and must still fail) or is too slow for."""


@pytest.fixture(params=BACKENDS)
def ports(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    """Give each backend's ports, fresh and empty."""
    match CANNOT.get((request.param, request.node.originalname)):
        case ("slow", why):
            pytest.xfail(why)
        case ("wrong", why):
            request.applymarker(pytest.mark.xfail(reason=why, strict=True))
        case _:
            pass
    with BACKENDS[request.param](tmp_path) as opened:
        yield opened


@pytest.fixture
def store(ports: Ports) -> ItemStore:
    """Give the backend's item store."""
    return ports.store


@pytest.fixture
def fifo(ports: Ports) -> Queue:
    """Give the backend's FIFO queue."""
    return ports.fifo


@pytest.fixture
def standard(ports: Ports) -> Queue:
    """Give the backend's standard queue."""
    return ports.standard


@pytest.fixture
def blobs(ports: Ports) -> Blobs:
    """Give the backend's blobs."""
    return ports.blobs


@pytest.fixture
def secrets(ports: Ports) -> Secrets:
    """Give the backend's secrets."""
    return ports.secrets
