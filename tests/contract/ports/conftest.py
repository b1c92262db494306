"""Enrols the backends, one line each, and lists what an emulator cannot show."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal

import pytest

from tests.aws import emulated
from tests.contract.ports import backends
from tests.contract.ports.backends import Opens, Ports
from threadline.core.ports import Blobs, ItemStore, Queue, Secrets

BACKENDS: Final[dict[str, Opens]] = {
    "embedded": backends.embedded,
    "moto": emulated.on_moto,
    "ministack": emulated.on_ministack,
}

_THREADS = "is not safe for threads of one process"
_OLDEST = "gives the oldest message, whichever group it is of"
_STALE = "takes a receipt whose visibility has ended"

CANNOT: Final[dict[tuple[str, str], tuple[Literal["wrong", "slow"], str]]] = {
    ("moto", "test_a_chatty_group_starves_nobody"): ("wrong", _OLDEST),
    ("moto", "test_a_dedup_id_belongs_to_its_group"): ("wrong", "keeps them for the whole queue"),
    ("moto", "test_a_dedup_id_outlives_its_message"): ("wrong", "forgets it with the message"),
    ("moto", "test_a_receipt_is_stale_once_the_message_came_again"): ("wrong", _STALE),
    ("moto", "test_a_stale_receipt_deletes_nothing"): ("wrong", _STALE),
    ("moto", "test_a_check_holds_until_the_write_is_done"): ("slow", _THREADS),
    ("moto", "test_a_receive_waits_for_a_group_to_be_free"): ("slow", _THREADS),
    ("moto", "test_a_receive_waits_for_a_message_given_back"): ("slow", _THREADS),
    ("moto", "test_neighbours_of_a_conflict_are_written"): ("slow", _THREADS),
    ("moto", "test_no_update_is_lost"): ("slow", _THREADS),
    ("moto", "test_one_of_many_makes_an_item"): ("slow", _THREADS),
    ("moto", "test_the_same_item_twice_is_written_once"): ("slow", _THREADS),
    ("ministack", "test_a_chatty_group_starves_nobody"): ("wrong", _OLDEST),
    ("ministack", "test_a_stale_receipt_deletes_nothing"): ("wrong", _STALE),
}
"""(backend, test) → what an emulator gets wrong (tried, and must still fail), or is too slow or
too shaky for."""


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.aws if name == "ministack" else ())
        for name in BACKENDS
    ]
)
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
