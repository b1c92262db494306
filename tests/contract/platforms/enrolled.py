"""The platforms that the contract suite tries: a new one is a line here."""

from typing import Final

import pytest

from tests.contract.platforms.discord import DISCORD
from tests.contract.platforms.enrolment import Enrolment
from tests.contract.platforms.github import GITHUB
from tests.contract.platforms.playground import PLAYGROUND
from tests.contract.platforms.slack import SLACK
from tests.contract.platforms.telegram import TELEGRAM
from tests.events import Recorded, recordings

ENROLLED: Final[tuple[Enrolment, ...]] = (DISCORD, GITHUB, PLAYGROUND, SLACK, TELEGRAM)

EVERY_PLATFORM = pytest.mark.parametrize("one", ENROLLED, ids=str)
EVERY_RECORDING = pytest.mark.parametrize(
    ("one", "recorded"),
    [
        pytest.param(one, recorded, id=str(recorded))
        for one in ENROLLED
        for recorded in recordings(one.platform.name)
    ],
)


def accepted(one: Enrolment) -> Recorded:
    """Give the first recording that leads to messages."""
    return next(r for r in recordings(one.platform.name) if r.expect["outcome"] == "accepted")
