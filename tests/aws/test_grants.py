"""Least privilege, both ways: what each function may do is what its code can ask for.

Two policies are not in the template, and no template narrows them: SAM lets every function write
logs, and one that is fed by a queue receive from and delete in the queues of the account.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from setup.template import FUNCTION, Template, load, resources, several, statements
from tests.architecture.source import PACKAGE
from tests.aws.reach import calls_of

FUNCTIONS: Final = ("ingest", "dispatch", "watch", "deliver", "connect", "sweep")

ACTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "store.get": ("dynamodb:GetItem", "dynamodb:BatchGetItem"),
    "store.query": ("dynamodb:Query",),
    "store.write": ("dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"),
    "store.write_each": ("dynamodb:PutItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"),
    "store.due": ("dynamodb:Query",),
    "settings": ("dynamodb:Query",),
    "blobs.put": ("s3:PutObject",),
    # S3 says of an absent body that it is forbidden to whoever may not list.
    "blobs.get": ("s3:GetObject", "s3:ListBucket"),
    "blobs.link": ("s3:GetObject",),
    "blobs.names": ("s3:ListBucket",),
    "blobs.delete": ("s3:DeleteObject",),
    "secrets.get": ("secretsmanager:GetSecretValue",),
    "queues.mailbox.change_visibility": ("sqs:ChangeMessageVisibility Mailbox",),
    "queues.runs.receive": ("sqs:ReceiveMessage Runs",),
    "queues.runs.delete": ("sqs:DeleteMessage Runs",),
    **{
        f"queues.{name}.send": (f"sqs:SendMessage {queue}",)
        for name, queue in {
            "mailbox": "Mailbox", "runs": "Runs", "timers": "Timers", "outbox": "Outbox",
            "dead": "MailboxDead",
        }.items()
    },
}  # fmt: skip
"""What each call to a port needs to be allowed; sending, on which queue."""

NO_CALLS: Final = ("secrets.values", "settings.")
"""What looks like a call to a port and reads a value that is there."""

NEVER: Final = {
    "deliver": (
        # One function sends mail, hints and timers; deliver gives it nothing but timers.
        "queues.mailbox.send", "queues.outbox.send", "queues.runs.send", "blobs.put",
    ),
    # Only mail too long for a queue is put aside, and a Wake is some kilobytes.
    "connect": ("blobs.put",),
    "sweep": ("blobs.put",),
}  # fmt: skip
"""Calls that are reached by name and cannot happen, and why."""

BESIDES: Final = {
    "ingest": (
        # Its own client: `apps` reads one item of the settings.
        "dynamodb:GetItem", "sqs:SendMessage Mailbox",
    ),
    # The network's drivers save what is downloaded, and send what is uploaded.
    "watch": ("s3:ListBucket",),
    "deliver": ("s3:GetObject", "s3:ListBucket"),
}  # fmt: skip
"""Grants for calls that are made behind the ports, and where."""


@pytest.fixture(scope="module")
def stack() -> Template:
    """Give the stack's template."""
    return load()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_what_it_does_and_no_more(function: str, stack: Template) -> None:
    """Each call that its code can make is granted, and nothing is that its code never asks for."""
    made = called(function)
    assert made - ACTIONS.keys() <= {"mailbox.send"}
    assert granted(stack, function) == needed(made) | set(BESIDES.get(function, ()))


def test_the_exceptions_are_needed(stack: Template) -> None:
    """No exception stands for a call that is not reached, or a grant that would be there anyway."""
    for function, calls in NEVER.items():
        assert set(calls) <= calls_of(function)
    for function, actions in BESIDES.items():
        assert set(actions) <= granted(stack, function) - needed(called(function))


def test_ingests_own_client_asks_for_what_it_may(stack: Template) -> None:
    """Each call in ingest's own client is one that ingest is granted."""
    asked = {
        "AmazonSQS.SendMessageBatch": "sqs:SendMessage Mailbox",
        "DynamoDB_20120810.GetItem": "dynamodb:GetItem",
        "PUT": "s3:PutObject",
        "secretsmanager.GetSecretValue": "secretsmanager:GetSecretValue",
    }
    module = ast.parse((PACKAGE / "backends" / "light" / "ports.py").read_bytes())
    made = {
        asked[node.args[0].value]
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        if node.func.attr in {"json", "call"} and isinstance(node.args[0], ast.Constant)
        if isinstance(node.args[0].value, str)
    }
    assert made == granted(stack, "ingest")


def test_settings_are_only_read(stack: Template) -> None:
    """No function writes the settings, or anything to the whole of an account."""
    for function in FUNCTIONS:
        for statement in of(stack, function):
            if "SettingsTable" in str(statement["Resource"]):
                assert set(several(statement["Action"])) <= {"dynamodb:GetItem", "dynamodb:Query"}


def called(function: str) -> set[str]:
    """Return the calls to ports that a function's code can make."""
    never = NEVER.get(function, ())
    return {
        call for call in calls_of(function) if not call.startswith(NO_CALLS) and call not in never
    }


def needed(calls: set[str]) -> set[str]:
    """Return what has to be allowed for some calls."""
    return {action for call in calls & ACTIONS.keys() for action in ACTIONS[call]}


def granted(stack: Template, function: str) -> set[str]:
    """Return the actions that a function is allowed, those on queues with the queue's name."""
    found: set[str] = set()
    for statement in of(stack, function):
        if statement["Effect"] == "Allow":
            for action in several(statement["Action"]):
                where = several(statement["Resource"]) if action.startswith("sqs:") else [""]
                found |= {f"{action} {_queue(one)}".strip() for one in where}
    return found


def of(stack: Template, function: str) -> Iterator[Mapping[str, Any]]:
    """Yield a function's statements."""
    return statements(dict(resources(stack, FUNCTION))[f"{function.title()}Function"])


def _queue(resource: Any) -> str:
    return str(resource["Fn::GetAtt"]).removesuffix(".Arn") if resource else ""
