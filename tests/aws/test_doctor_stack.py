"""What doctor says of an account and a stack, as CloudFormation describes them."""

import json
from collections.abc import Iterator

import boto3
import moto
import pytest
from moto.cloudformation.models import cloudformation_backends

from threadline.backends.aws import names
from threadline.cli import state
from threadline.cli.checkups import account
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
    wanted = {**dict.fromkeys(names.OUTPUTS, "of-nobody"), names.PUBLIC_URL: OWN}
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
