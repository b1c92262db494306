"""What a stack's log groups took in, read as `setup` reads it."""

import json
import time
from collections.abc import Iterator
from typing import Any

import boto3
import moto
import pytest
from moto.logs.models import LogGroup

from threadline.backends.aws.log_tail import LogTail
from threadline.core.errors import StoreUnavailable

GROUPS = ("ingest", "sockets")
REGION = "eu-central-1"


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Two log groups with a stream each."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "of-nobody")
    with moto.mock_aws():
        client = boto3.client("logs", region_name=REGION)
        for group in GROUPS:
            client.create_log_group(logGroupName=group)
            client.create_log_stream(logGroupName=group, logStreamName="one")
        yield client


def put(logs: Any, group: str, at: float, message: object) -> None:
    """Let a line be written at a time."""
    text = message if isinstance(message, str) else json.dumps(message)
    events = [{"timestamp": int(at * 1000), "message": text}]
    logs.put_log_events(logGroupName=group, logStreamName="one", logEvents=events)


def test_lines_of_both_groups_come_once_and_from_then_on(logs: Any) -> None:
    """What is older, what is no JSON, and what is another platform's is left out."""
    now = time.time()
    put(logs, "ingest", now - 30, {"event": "delivery", "platform": "slack", "n": 0})
    tail = LogTail(logs, GROUPS, "slack", now)
    assert tail() == []
    put(logs, "ingest", now + 1, {"event": "delivery", "platform": "slack", "n": 1})
    put(logs, "ingest", now + 1, "START RequestId slack")
    put(logs, "ingest", now + 1, {"event": "delivery", "platform": "telegram", "n": 2})
    put(logs, "sockets", now + 1, {"event": "socket", "platform": "slack", "n": 3})
    assert [line["n"] for line in tail()] == [1, 3]
    put(logs, "ingest", now + 0.5, {"event": "delivery", "platform": "slack", "n": 4})
    assert [line["n"] for line in tail()] == [1, 3, 4]


def test_many_lines_come_page_by_page(logs: Any) -> None:
    """More lines than one answer holds are all read."""
    now = time.time()
    for number in range(250):
        put(logs, "ingest", now + 1, {"platform": "slack", "n": number})
    assert len(LogTail(logs, GROUPS[:1], "slack", now)()) == 250


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """AWS answers with few lines at a time, and none at all on every other page."""
    whole: Any = LogGroup.filter_log_events
    between: set[str] = set()

    def page(group: Any, *asked: Any) -> Any:
        *others, _, token, pattern, interleaved = asked
        if token and token not in between:
            between.add(token)
            return [], token, []
        return whole(group, *others, 2, token, pattern, interleaved)

    monkeypatch.setattr(LogGroup, "filter_log_events", page)


@pytest.mark.usefixtures("small_pages")
def test_a_log_of_many_pages_is_read_on_where_a_look_ended(logs: Any) -> None:
    """A page without a line is no end; each look says whether there is more."""
    now = time.time()
    for number in range(50):
        put(logs, "ingest", now + 1, {"platform": "slack", "n": number})
    tail, looks = LogTail(logs, GROUPS, "slack", now), 1
    tail()
    while tail.behind:
        tail()
        looks += 1
    assert [line["n"] for line in tail()] == list(range(50))
    assert 4 <= looks <= 6
    put(logs, "ingest", now + 2, {"platform": "slack", "n": 50})
    for _ in range(looks):
        tail()
    assert [line["n"] for line in tail()] == list(range(51))


def test_a_group_that_cannot_be_read_is_named(logs: Any) -> None:
    """A missing log group is a sentence with its name and AWS's code."""
    with pytest.raises(StoreUnavailable, match="gone cannot be read: ResourceNotFound"):
        LogTail(logs, ("gone",), "slack", time.time())()
