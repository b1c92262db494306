from collections.abc import Sequence

import pytest

from long_running.sockets.state import REFUSED_AGAIN, STEADY, Backoff, Tries


@pytest.mark.parametrize(
    ("failures", "least", "most"),
    [(0, 2.0, 4.0), (1, 2.0, 8.0), (2, 4.0, 16.0), (4, 16.0, 60.0), (9, 30.0, 60.0),
     (500, 30.0, 60.0)],
)  # fmt: skip
def test_waits_grow_to_a_minute(failures: int, least: float, most: float) -> None:
    """Between tries lie 2 to 60 seconds, longer each time, and never the same for everybody."""
    assert Backoff().wait(failures, 0.0) == least
    assert Backoff().wait(failures, 1.0) == most


def waits(lasted: Sequence[float], *, refused: bool = False) -> list[float]:
    """Give the waits after connections that lasted so long."""
    tries = Tries(Backoff(), lambda: 0.0)
    return [tries.next_after(seconds, refused=refused) for seconds in lasted]


def test_connections_that_end_soon_are_waited_for() -> None:
    """One that is let in and ends at once, again and again, is not asked for every two seconds."""
    assert waits([1.0] * 6) == [2.0, 2.0, 4.0, 8.0, 16.0, 30.0]


def test_a_connection_that_held_begins_anew() -> None:
    """The end of a connection that stood for a minute is followed soon."""
    assert waits([0.0] * 5 + [STEADY, 0.0])[-2:] == [2.0, 2.0]


def test_a_refusal_is_tried_again_rarely() -> None:
    """What waits for a person is tried after one, five, then every fifteen minutes."""
    assert waits([0.0] * 4, refused=True) == [*REFUSED_AGAIN, REFUSED_AGAIN[-1]]


def test_well_is_well() -> None:
    """Where all is well nothing that went before counts."""
    tries = Tries(Backoff(), lambda: 0.0)
    for _ in range(5):
        tries.next_after(0.0)
        tries.next_after(0.0, refused=True)
    tries.well()
    assert tries.next_after(0.0, refused=True) == REFUSED_AGAIN[0]
    assert tries.next_after(0.0) == 2.0
