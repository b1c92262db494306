"""What doctor says of an account and a stack, as CloudFormation describes them."""

import json
import time
from collections.abc import Iterator
from typing import Any

import boto3
import moto
import pytest
from moto.cloudformation.models import cloudformation_backends
from moto.logs.models import LogGroup

from threadline.backends.aws import names
from threadline.cli import state
from threadline.cli.checkups import account
from threadline.cli.watched_log import INGEST_LOGS, SOCKET_LOGS, lately
from threadline.core.errors import StoreUnavailable
from threadline.core.settings import Settings
from threadline.core.setup import Finding

STACK, REGION, ACCOUNT = "threadline-dev", "eu-central-1", "123456789012"
OWN = "https://abc123.execute-api.eu-central-1.amazonaws.com"


@pytest.fixture(autouse=True)
def aws(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An account with a deployed stack, which the commands work on."""
    for name, value in (
        ("AWS_ACCESS_KEY_ID", "of-nobody"),
        ("AWS_SECRET_ACCESS_KEY", "of-nobody"),
        ("AWS_DEFAULT_REGION", REGION),
    ):
        monkeypatch.setenv(name, value)
    with moto.mock_aws():
        deploy()
        chosen = state.stack.set(STACK)
        yield
        state.stack.reset(chosen)


def deploy(*without: str) -> None:
    """Make a stack with the outputs that ours has, some left out."""
    logs = {INGEST_LOGS: "ingest", SOCKET_LOGS: "sockets"}
    wanted = {**dict.fromkeys(names.OUTPUTS, "of-nobody"), names.PUBLIC_URL: OWN, **logs}
    outputs = {name: {"Value": value} for name, value in wanted.items() if name not in without}
    queue = {"Type": "AWS::SQS::Queue", "Properties": {"QueueName": "one"}}
    template = {"Resources": {"One": queue}, "Outputs": outputs}
    client = boto3.client("cloudformation")
    client.delete_stack(StackName=STACK)
    client.create_stack(StackName=STACK, TemplateBody=json.dumps(template))


def found(what: str) -> Finding:
    """Look at the account and give one finding."""
    return next(one for one in account.look() if one.what == what)


def address(public_url: str) -> Finding:
    """Compare the settings' address with the stack's."""
    (finding,) = account.address(Settings(version="1", namespace="n", public_url=public_url))
    return finding


def test_a_stack_that_is_well() -> None:
    """Account, region and status are told, and there is nothing to do about them."""
    assert found("account").seen == f"{ACCOUNT} in {REGION}"
    assert found("stack") == Finding("stack", f"{STACK} is CREATE_COMPLETE")


@pytest.mark.parametrize(
    ("status", "remedy"),
    [
        ("UPDATE_ROLLBACK_COMPLETE", "Events: the first that failed"),
        ("ROLLBACK_FAILED", "Events: the first that failed"),
        ("UPDATE_IN_PROGRESS", "wait for its end"),
    ],
)
def test_a_stack_that_is_not(status: str, remedy: str) -> None:
    """A deployment that failed or has not ended is said to be so."""
    (stack,) = cloudformation_backends[ACCOUNT][REGION].stacks.values()
    stack.status = status
    assert status in found("stack").seen
    assert remedy in found("stack").remedy


def test_outputs_of_another_version() -> None:
    """A stack that does not name what this version wants is to be deployed again."""
    deploy("OutboxTable", "Stage")
    assert found("outputs").seen.startswith("without OutboxTable, Stage")
    assert found("outputs").remedy == "sam build && sam deploy"


def test_the_address_that_platforms_are_told() -> None:
    """A stack that was made anew has another address than the pushed settings say."""
    assert address(OWN) == Finding("address", OWN)
    moved = address("https://old.execute-api.eu-central-1.amazonaws.com")
    assert f"the stack is at {OWN}" in moved.seen
    assert moved.remedy == f"threadline config push --stack {STACK}"
    assert address("").remedy
    assert address("https://chat.example.com").remedy == ""


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> float:
    """Two log groups with 60 lines each of the last hour; one line is a page."""
    client, now = boto3.client("logs"), time.time()
    for offset, group in enumerate(("ingest", "sockets")):
        client.create_log_group(logGroupName=group)
        client.create_log_stream(logGroupName=group, logStreamName="one")
        times = [now - 3600 + number * 20 + offset for number in range(60)]
        events = [
            {"timestamp": int(at * 1000), "message": json.dumps({"platform": "slack", "at": at})}
            for at in times
        ]
        client.put_log_events(logGroupName=group, logStreamName="one", logEvents=events)
    whole: Any = LogGroup.filter_log_events

    def page(group: Any, *asked: Any) -> Any:
        *others, _, token, pattern, interleaved = asked
        return whole(group, *others, 1, token, pattern, interleaved)

    monkeypatch.setattr(LogGroup, "filter_log_events", page)
    return now


def test_a_days_log_is_read_to_its_end(pages: float) -> None:
    """However few lines an answer brings: all, of both groups, oldest first."""
    read = [float(str(line["at"])) for line in lately("slack", pages)]
    assert len(read) == 120
    assert read == sorted(read)


def test_a_log_that_is_too_long_is_no_silence(
    pages: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where its end is not reached, nothing is said of what came last."""
    monkeypatch.setattr("threadline.cli.watched_log.MOST_READS", 3)
    with pytest.raises(StoreUnavailable, match="too long to be read here"):
        lately("slack", pages)
