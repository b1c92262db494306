"""The platforms that the contract suite tries: a new one is a line here."""

from typing import Final

import pytest

from tests.contract.platforms.buzz import BUZZ
from tests.contract.platforms.discord import DISCORD
from tests.contract.platforms.enrolment import Enrolment, Knocking
from tests.contract.platforms.feishu import FEISHU
from tests.contract.platforms.github import GITHUB
from tests.contract.platforms.playground import PLAYGROUND
from tests.contract.platforms.slack import SLACK
from tests.contract.platforms.telegram import TELEGRAM
from tests.events import Recorded, recordings
from tests.transcripts import transcripts

ENROLLED: Final[tuple[Enrolment, ...]] = (
    BUZZ, DISCORD, FEISHU, GITHUB, PLAYGROUND, SLACK, TELEGRAM,
)  # fmt: skip
KNOCKING: Final = tuple(one for one in ENROLLED if isinstance(one, Knocking))
HELD: Final = tuple(one for one in ENROLLED if one.held)

EVERY_PLATFORM = pytest.mark.parametrize("one", ENROLLED, ids=str)
EVERY_RECORDING = pytest.mark.parametrize(
    ("one", "recorded"),
    [
        pytest.param(one, recorded, id=str(recorded))
        for one in ENROLLED
        for recorded in recordings(one.platform.name)
    ],
)

EVERY_KNOCKING = pytest.mark.parametrize("one", KNOCKING, ids=str)
EVERY_REQUEST = pytest.mark.parametrize(
    ("one", "recorded"),
    [
        pytest.param(one, recorded, id=str(recorded))
        for one in KNOCKING
        for recorded in recordings(one.platform.name)
    ],
)

EVERY_HELD = pytest.mark.parametrize("one", HELD, ids=str)
EVERY_TRANSCRIPT = pytest.mark.parametrize(
    ("one", "transcript"),
    [
        pytest.param(one, transcript, id=str(transcript))
        for one in HELD
        for transcript in transcripts(one.platform.name)
    ],
)


def accepted(one: Enrolment) -> Recorded:
    """Give the first recording that leads to messages, for an app with every secret."""
    cases = (case for case in recordings(one.platform.name) if not case.without)
    return next(case for case in cases if case.expect["outcome"] == "accepted")
