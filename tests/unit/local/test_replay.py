import json
from pathlib import Path

import pytest

from threadline.core.errors import ThreadlineError
from threadline.core.message import Webhook
from threadline.local.replay import (
    NotARecording,
    lines_of,
    outcome,
    read_recording,
    send,
    unexpected,
)

EVENT = {
    "rawPath": "/webhooks/telegram/support",
    "headers": {"Content-Type": "application/json"},
    "requestContext": {"http": {"method": "POST"}},
    "body": "eyJhIjogMX0=",
    "isBase64Encoded": True,
}


def test_a_recording_is_read_with_its_expectation(tmp_path: Path) -> None:
    """Platform and app come from the path, the body's bytes from either coding."""
    (tmp_path / "message.json").write_text(json.dumps(EVENT))
    (tmp_path / "message.expect.json").write_text('{"outcome": "accepted"}')
    recording = read_recording(tmp_path / "message.json")
    assert (recording.platform, recording.app) == ("telegram", "support")
    assert recording.request.body == b'{"a": 1}'
    assert recording.request.headers == {"content-type": "application/json"}
    assert recording.expect == {"outcome": "accepted"}


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"rawPath": "/webhooks"}', json.dumps({**EVENT, "rawPath": "/"}),
     json.dumps({**EVENT, "body": "*"})],
)  # fmt: skip
def test_what_is_no_recording_is_said(tmp_path: Path, text: str) -> None:
    """Any other file gives one clear line."""
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(NotARecording, match="is no recorded delivery"):
        read_recording(tmp_path / "x.json")


def line(reason: str, **more: str) -> dict[str, object]:
    """Make the log line of a delivery."""
    return {"event": "delivery", "reason": reason, "request": "q1", **more}


def test_the_outcome_is_told_in_the_words_of_an_expectation() -> None:
    """Status and log line together say what became of a request."""
    assert outcome(401, [line("signature_invalid")]) == {
        "outcome": "refused", "reason": "signature_invalid",
    }  # fmt: skip
    assert outcome(200, [line("own_message")]) == {"outcome": "ignored", "reason": "own_message"}
    assert outcome(200, [line("handshake")]) == {"outcome": "handshake"}
    assert outcome(200, [line("accepted", mailbox="b"), line("accepted", mailbox="a")]) == {
        "outcome": "accepted", "mailbox": "a b",
    }  # fmt: skip


def test_differences_from_the_expectation_are_listed() -> None:
    """Only what the expectation names is compared."""
    assert unexpected({"outcome": "accepted", "messages": []}, {"outcome": "accepted"}) == []
    assert unexpected({"outcome": "accepted", "mailbox": "a"}, {"outcome": "ignored"}) == [
        "outcome is ignored, expected accepted",
        "mailbox is (none), expected a",
    ]


def test_only_the_lines_of_the_request_count() -> None:
    """Other deliveries, and other lines of the same request, are passed over."""
    others: list[dict[str, object]] = [
        {"event": "step", "request": "q1"},
        {**line("accepted"), "request": "q2"},
    ]
    assert lines_of("q1", [line("accepted"), *others]) == [line("accepted")]


def test_a_front_door_that_is_not_there_is_said() -> None:
    """A refused connection is one line, without a traceback."""
    with pytest.raises(ThreadlineError, match=r"http://127\.0\.0\.1:9 does not answer"):
        send(Webhook("POST", "/webhooks/x", {}, {}, b"{}"), "http://127.0.0.1:9")
