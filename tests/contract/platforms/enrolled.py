"""The platforms that the contract suite tries: a new one is a line here."""

from typing import Final

import pytest

from tests.contract.platforms.discord import DISCORD
from tests.contract.platforms.enrolment import Enrolment
from tests.contract.platforms.feishu import FEISHU
from tests.contract.platforms.github import GITHUB
from tests.contract.platforms.playground import PLAYGROUND
from tests.contract.platforms.slack import SLACK
from tests.contract.platforms.telegram import TELEGRAM
from tests.events import Recorded, recordings

ENROLLED: Final[tuple[Enrolment, ...]] = (
    DISCORD, FEISHU, GITHUB, PLAYGROUND, SLACK, TELEGRAM,
)  # fmt: skip

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
    """Give the first recording that leads to messages, for an app with every secret."""
    cases = (case for case in recordings(one.platform.name) if not case.without)
    return next(case for case in cases if case.expect["outcome"] == "accepted")
