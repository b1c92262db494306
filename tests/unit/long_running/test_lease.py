from collections.abc import Iterator
from pathlib import Path

import pytest

from long_running.lease import LENGTH, RENEW_EVERY, SocketLease
from threadline import wiring
from threadline.backends.clock import VirtualClock
from threadline.core.ports import ItemStore

NOW = 1_790_000_000.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ItemStore]:
    """Open a store."""
    local = wiring.local_ports(tmp_path, VirtualClock(NOW))
    yield local.ports.store
    local.close()


def test_one_holds_the_lease(store: ItemStore) -> None:
    """The first takes it and keeps it for as long as it renews; the second waits."""
    first, second = SocketLease(store, "buzz/a", "one"), SocketLease(store, "buzz/a", "two")
    for late in range(0, 200, 5):
        assert first.keep(NOW + late)
        assert not second.keep(NOW + late)


def test_a_dead_holder_is_followed_within_a_minute(store: ItemStore) -> None:
    """Once it stands still for its length the lease is taken over, and not a moment earlier."""
    first, second = SocketLease(store, "buzz/a", "one"), SocketLease(store, "buzz/a", "two")
    assert first.keep(NOW)
    assert not second.keep(NOW + 2)
    assert not second.keep(NOW + 2 + LENGTH - 1)
    assert not first.held(NOW + LENGTH)
    assert second.keep(NOW + 2 + LENGTH)
    assert not first.keep(NOW + 2 + LENGTH)


def test_a_lease_that_is_given_back_is_free(store: ItemStore) -> None:
    """A holder that leaves in good order is followed at once."""
    first, second = SocketLease(store, "buzz/a", "one"), SocketLease(store, "buzz/a", "two")
    assert first.keep(NOW)
    first.give_back()
    assert not first.held(NOW)
    assert second.keep(NOW + 1)


def test_sockets_have_leases_of_their_own(store: ItemStore) -> None:
    """Two sockets may be held by two processes."""
    assert SocketLease(store, "buzz/a", "one").keep(NOW)
    assert SocketLease(store, "buzz/b", "two").keep(NOW)


def test_a_process_that_is_alone_takes_over_at_once(store: ItemStore) -> None:
    """Where no other process can run, a killed one's lease counts for nothing."""
    assert SocketLease(store, "buzz/a", "killed").keep(NOW)
    assert SocketLease(store, "buzz/a", "next", alone=True).keep(NOW + 1)


def test_a_slow_clock_does_not_hold_on(store: ItemStore) -> None:
    """A holder that cannot renew stops counting before anybody may take over."""
    first = SocketLease(store, "buzz/a", "one")
    assert first.keep(NOW)
    assert first.held(NOW + RENEW_EVERY)
    assert not first.held(NOW + LENGTH - 1)


def test_a_clock_that_is_set_back_holds_nothing(store: ItemStore) -> None:
    """Set back by an hour, a holder renews at once and a waiter waits no longer than a length."""
    first, second = SocketLease(store, "buzz/a", "one"), SocketLease(store, "buzz/a", "two")
    assert first.keep(NOW)
    assert not second.keep(NOW)
    assert not first.held(NOW - 3600)
    assert first.keep(NOW - 3600)
    assert not second.keep(NOW - 3600)
    assert not second.keep(NOW - 3600 + LENGTH - 1)
    assert second.keep(NOW - 3600 + LENGTH)


def test_what_was_given_back_is_not_held(store: ItemStore) -> None:
    """A lease given back twice, or never held, leaves another's alone."""
    first, second = SocketLease(store, "buzz/a", "one"), SocketLease(store, "buzz/a", "two")
    first.give_back()
    assert first.keep(NOW)
    first.give_back()
    assert second.keep(NOW)
    first.give_back()
    assert second.keep(NOW + RENEW_EVERY)
