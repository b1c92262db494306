import hashlib
import json
from typing import Any

import pytest

from tests.contract.platforms.slack import CREDENTIALS
from tests.events import EVENTS, recording
from threadline.app import codec
from threadline.backends import lambda_http
from threadline.core.envelope import Arrived, FollowRun, Timer
from threadline.local import renewing
from threadline.local.renewing import Fresh
from threadline.platforms.slack import PLATFORM

NOW = 1_800_000_000.5
FRESH = Fresh(NOW, "0c7d6d4e-9a52-4a1e-8f3d-1f0c3ad1f3a1")


def event(name: str) -> Any:
    """Read a recorded event."""
    return json.loads((EVENTS / f"{name}.json").read_text(encoding="utf-8"))


def mail(name: str) -> Any:
    """Give the only message of a renewed batch, read as the functions read it."""
    (record,) = renewing.batch(event(name), FRESH)["Records"]
    assert record["md5OfBody"] == hashlib.md5(record["body"].encode()).hexdigest()  # noqa: S324
    return codec.decode(record["body"])


def test_times_keep_their_distance() -> None:
    """What was to come when it was recorded is still to come, as far ahead as then."""
    follow, timer = mail("watch/follow_run"), mail("sweep/timer")
    assert isinstance(follow, FollowRun)
    assert isinstance(timer, Timer)
    assert follow.turn.limit_at - NOW == pytest.approx(3600, abs=1)
    assert follow.turn.first_try_at == 0.0
    assert timer.at - NOW == pytest.approx(15, abs=1)


def test_a_message_that_arrived_is_another_one() -> None:
    """A second print is no repetition: the message and its delivery are new, written now."""
    arrived = mail("dispatch/arrived")
    assert isinstance(arrived, Arrived)
    assert arrived.message.delivery.endswith(FRESH.id)
    assert arrived.message.sent_at == NOW
    assert arrived.accepted_at == pytest.approx(NOW, abs=1)
    assert arrived.message.text == "What is on today’s list?"


def test_a_batch_has_new_ids() -> None:
    """SQS gives each message an id of its own, and a FIFO queue's one for repetitions."""
    (record,) = renewing.batch(event("dispatch/wake"), FRESH)["Records"]
    assert record["messageId"] == record["attributes"]["MessageDeduplicationId"] == FRESH.id
    assert record["attributes"]["MessageGroupId"] == "a-mailbox"


def test_an_agent_calls_with_its_secret_about_another_run() -> None:
    """The body is about a run of its own, and its length is right."""
    called = renewing.callback(event("connect/ended"), "the secret", FRESH)
    assert called["headers"]["x-threadline-secret"] == "the secret"
    assert json.loads(called["body"])["run_id"] == FRESH.id
    assert called["headers"]["content-length"] == str(len(called["body"]))
    assert called["requestContext"]["timeEpoch"] == NOW * 1000


def test_the_schedule_is_due_now() -> None:
    """The event of the schedule tells this minute."""
    assert renewing.scheduled(event("sweep/schedule"), FRESH)["time"] == "2027-01-15T08:00:00Z"


@pytest.mark.parametrize(
    ("case", "coded"), [("app_mention", False), ("slash_command.question", True)]
)
def test_a_body_is_coded_as_the_gateway_codes_it(case: str, coded: bool) -> None:
    """JSON stays text and a form becomes base64; the bytes that were signed come out again."""
    recorded = recording("slack", case)
    request = PLATFORM.stamp(recorded.webhook, CREDENTIALS, NOW, 7)
    made = renewing.delivery(recorded.event, request, NOW)
    assert made["isBase64Encoded"] is coded
    assert lambda_http.webhook(made).body == request.body
    PLATFORM.verify(lambda_http.webhook(made), CREDENTIALS, NOW)
