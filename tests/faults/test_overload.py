import logging
from pathlib import Path

from tests.faults.overload import overload


def test_many_messages_at_once_are_kept_or_refused(tmp_path: Path) -> None:
    """Everything acknowledged runs once and in order, the rest was refused with 503; in bounds."""
    logging.disable(logging.CRITICAL)
    try:
        report = overload(tmp_path, conversations=30, each=4)
    finally:
        logging.disable(logging.NOTSET)
    assert report.violations == ()
    assert report.accepted + report.refused == 30 * 4 + 20 * 4
    assert report.grown < 200
