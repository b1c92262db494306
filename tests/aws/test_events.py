import json
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from setup import emulating
from tests.aws.functions import layered
from tests.aws.runtime_api import Function
from tests.aws.test_boot import is_success
from tests.events import EVENTS, Recorded, recordings
from threadline import wiring
from threadline.cli.main import main
from threadline.core.platform import ReceivesHttp
from threadline.local.emulator import ENDPOINT, REGION
from threadline.local.fresh_event import FreshEvents
from threadline.local.recordings import Recordings
from threadline.local.replay import outcome, unexpected

pytestmark = [pytest.mark.sam, pytest.mark.aws]

OTHERS = ("connect", "deliver", "dispatch", "sweep", "watch")
OF_THIS_MACHINE = "playground"
"""A platform that is never on but on one machine, so that no function takes its deliveries."""

SECONDS = 33.0
"""For an event: watch leaves half a minute of it unused."""

STALE = "stale_signature"
PLATFORMS = [
    name
    for name in wiring.PLATFORMS
    if isinstance(wiring.platform(name), ReceivesHttp) and name != OF_THIS_MACHINE
]


@pytest.fixture
def emulated(filled: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let `threadline event` find the emulator, and give its address."""
    monkeypatch.setenv(ENDPOINT, filled)
    return filled


@pytest.fixture
def fresh(emulated: str) -> FreshEvents:
    """Give what `threadline event` prints."""
    assert emulated
    return FreshEvents(
        Recordings(EVENTS), program="threadline", now=time.time, new_id=lambda: str(uuid.uuid4())
    )


@pytest.fixture
def ingest(built: Path, emulated: str, tmp_path: Path) -> Iterator[Function]:
    """Boot the built ingest with the variables of env.json."""
    environ = environ_of(emulated, "IngestFunction")
    with layered(built, "IngestFunction", environ, tmp_path) as up:
        yield up


def environ_of(url: str, name: str) -> Mapping[str, str]:
    """Give what `sam local` would tell a function, with the emulator's address of this test."""
    return {
        **emulating.environments(url)[name],
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "defaultkey",
        "AWS_SECRET_ACCESS_KEY": "defaultsecret",
    }


def test_there_are_events_of_every_function_and_platform() -> None:
    """Each function has something to be tried with, and ingest something of each platform."""
    folders = {name.partition("/")[0] for name in Recordings(EVENTS).names()}
    assert folders >= {*OTHERS, *PLATFORMS}


@pytest.mark.parametrize("platform", PLATFORMS)
def test_ingest_answers_every_delivery(platform: str, ingest: Function, fresh: FreshEvents) -> None:
    """Each recording of a platform, made fresh, leads to what it was recorded to lead to."""
    wrong = {}
    for recorded in recordings(platform):
        event = fresh.event(f"{platform}/{recorded.case}", same=True)
        if found := unexpected(recorded.expect, ended(ingest, event)):
            wrong[recorded.case] = found
    assert wrong == {}


@pytest.mark.parametrize("function", OTHERS)
def test_a_function_answers_its_events(
    function: str, built: Path, fresh: FreshEvents, emulated: str, tmp_path: Path
) -> None:
    """With the variables of env.json each function does what each of its events asks for."""
    logical = f"{function.title()}Function"
    with layered(built, logical, environ_of(emulated, logical), tmp_path) as up:
        for name in Recordings(EVENTS).names():
            if name.startswith(f"{function}/"):
                answer = up.invoke(fresh.event(name), SECONDS)
                assert is_success(answer), up.output()
        assert "ERROR" not in up.output()


def test_a_plain_recording_is_stale(ingest: Function, fresh: FreshEvents) -> None:
    """As it was recorded a delivery of Slack's is too old; `threadline event` makes it new."""
    plain = Recorded("slack", "app_mention", read("slack/app_mention"), {}).event
    assert ended(ingest, plain) == {"outcome": "refused", "reason": STALE}
    answer = ingest.invoke(plain)
    assert (answer["statusCode"], json.loads(answer["body"])) == (401, {"error": STALE})
    assert ended(ingest, fresh.event("slack/app_mention"))["outcome"] == "accepted"


def test_the_command_prints_what_ingest_takes(
    ingest: Function, emulated: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """`threadline event slack/app_mention`, by whatever spelling, is an event that is accepted."""
    assert emulated
    for name in ("slack/app_mention", "events/slack/app_mention.json"):
        assert main(["event", name, "--events", str(EVENTS)]) == 0
        assert ended(ingest, json.loads(capsys.readouterr().out))["outcome"] == "accepted"


def test_another_platforms_secret_signs_nothing(
    emulated: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the emulator has no secret for is told, with what takes it instead."""
    assert emulated
    assert main(["event", f"{OF_THIS_MACHINE}/message", "--events", str(EVENTS)]) == 1
    told = capsys.readouterr().err
    assert "the emulator has no playground/default" in told
    assert f"replay {EVENTS / OF_THIS_MACHINE / 'message.json'}" in told


def ended(ingest: Function, event: Mapping[str, Any]) -> Mapping[str, str]:
    """Give an event to ingest and say what became of it, in the words of an expectation."""
    before = len(ingest.output())
    answer = ingest.invoke(event)
    written = ingest.output()[before:].splitlines()
    lines = [json.loads(line) for line in written if line.startswith("{")]
    return outcome(answer["statusCode"], [one for one in lines if one["event"] == "delivery"])


def read(name: str) -> Mapping[str, Any]:
    """Read a recording as it stands."""
    event: Mapping[str, Any] = json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))
    return event
