from pathlib import Path

import pytest

from tests.faults.kills import kill_test

KILLS = 4


@pytest.mark.langgraph
def test_kill_9_under_load_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Killed again and again while people write: each message has one run and one answer."""
    report = kill_test(tmp_path, KILLS, seed=7)
    assert report.messages > KILLS
    assert report.violations == ()
