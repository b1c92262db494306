"""Buttons, signs of waiting and files that are made, with any call of their way going wrong."""

import logging
from collections.abc import Iterator

import pytest

from tests.faults.chats import PLAYS, OneFault, Play, played
from tests.faults.gates import KINDS

CALLS = 6


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("play", PLAYS, ids=lambda play: play.name)
def test_single_faults_break_nothing(play: Play) -> None:
    """Refused, lost, late, repeated, or the death of the process: each thing stands there once."""
    undisturbed = OneFault(-1, "refused")
    assert played(play, undisturbed) == []
    calls, broken = len(undisturbed.points), []
    for at in range(CALLS):
        for kind in KINDS:
            gate = OneFault((2 * at + 1) * calls // (2 * CALLS), kind)
            if found := played(play, gate):
                broken.append((kind, gate.met, found))
    assert broken == []
