import pytest

from threadline.core import guard

HIDDEN = "the user's salary is 100000"


@pytest.mark.parametrize("marker", guard.MARKERS)
@pytest.mark.parametrize("before", ["", "Hello ", "\u0130" * 60, "\u017f" * 60, "\U0001f600" * 60])
def test_nothing_behind_a_marker_is_shown(marker: str, before: str) -> None:
    """A marker hides the rest, also behind letters that grow when they are made lower case."""
    text = f"{before}{marker.upper()}{HIDDEN}"
    assert guard.hides_context(text)
    assert guard.showable(text) == before
    assert "salary" not in guard.check(text).text


@pytest.mark.parametrize("marker", guard.MARKERS)
def test_a_marker_that_may_be_beginning_is_held_back(marker: str) -> None:
    """However a marker is cut by the end of what came so far, no piece of it is shown."""
    for length in range(1, len(marker)):
        assert guard.showable(f"\u0130 Hello {marker[:length]}") == "\u0130 Hello "
