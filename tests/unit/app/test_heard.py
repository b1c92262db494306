"""What the log tells of an app's deliveries."""

import pytest

from threadline.app.heard import ago, heard
from threadline.app.logline import Line


def line(reason: str, at: float, kind: str = "", app: str = "default") -> Line:
    """Make a line of ingest's."""
    return {"event": "delivery", "platform": "slack", "app": app, "reason": reason, "at": at,
            "type": kind}  # fmt: skip


def test_the_last_of_each_type_is_told_latest_first() -> None:
    """Each type of event that was taken is told with its age; other apps' are not."""
    found = heard(
        [
            line("accepted", 10.0, "message"),
            line("kept_aside", 20.0, "app_mention"),
            line("accepted", 30.0, "message"),
            line("accepted", 40.0, "message", app="second"),
            line("own_message", 50.0),
            {"event": "step", "platform": "slack", "app": "default", "reason": "accepted"},
        ],
        "slack",
        "default",
    )
    assert found.told(90.0) == "message 1 minute ago, app_mention 1 minute ago"
    assert found.refused == {}


def test_refusals_count_until_something_is_taken() -> None:
    """A refusal before a delivery that was taken is over; one after it is told."""
    lines = [line("signature_invalid", 1.0), line("accepted", 2.0), line("no_route", 3.0)]
    assert heard(lines[:1], "slack", "default").refused == {"signature_invalid": 1.0}
    assert heard(lines[:2], "slack", "default").refused == {}
    assert heard(lines, "slack", "default").refused == {"no_route": 3.0}


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-4.0, "a moment"),
        (3.0, "a moment"),
        (60.0, "1 minute"),
        (7300.0, "2 hours"),
        (90_000.0, "1 day"),
    ],
)
def test_ages_are_told_in_words(seconds: float, told: str) -> None:
    """One unit is enough."""
    assert ago(seconds) == told
