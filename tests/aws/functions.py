"""The built functions in an emulated account: what the stack tells each of them, and may do."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from setup.template import FUNCTION, environment, load, named, resolved, resources, several
from setup.template import statements as statements_of
from tests.aws import ministack, tables
from tests.aws.emulated import Emulated
from tests.aws.runtime_api import Function, booted

QUEUES: Final = {
    "Mailbox": "mailbox.fifo",
    "MailboxDead": "mailbox-dead.fifo",
    "Runs": "runs",
    "Timers": "timers",
    "Outbox": "outbox",
}

NAMED_APART: Final = {
    "sqs:SendMessage": "sqs:SendMessageBatch",
    "sqs:DeleteMessage": "sqs:DeleteMessageBatch",
    "s3:DeleteObject": "s3:DeleteObjects",
}
"""What AWS counts as the first action, and the emulator wants named."""


@contextmanager
def running(
    built: Path, emulated: Emulated, name: str, folder: Path, **instead: str
) -> Iterator[Function]:
    """Start a built function with its layers and its environment, allowed what it is granted."""
    with layered(built, name, {**environ_of(emulated, name), **instead}, folder) as function:
        yield function


@contextmanager
def layered(built: Path, name: str, environ: Mapping[str, str], folder: Path) -> Iterator[Function]:
    """Start a built function with its layers, told no more than this."""
    properties = dict(resources(load(), FUNCTION))[name]
    layers = [built / named(layer) for layer in several(properties["Layers"])]
    folder.mkdir(parents=True, exist_ok=True)
    with booted(built / name, layers, environ, folder) as function:
        yield function


def environ_of(emulated: Emulated, name: str) -> dict[str, str]:
    """Return a function's environment in the emulated account, with keys of its own."""
    references = names(emulated)
    properties = dict(resources(load(), FUNCTION))[name]
    granted = [widened(one) for one in resolved(list(statements_of(properties)), references)]
    emulator = ministack.running()
    key, secret = ministack.user(emulator.endpoint, f"{emulated.name}-{uuid4().hex}", granted)
    return {
        **resolved(environment(load(), name), references),
        "AWS_REGION": ministack.REGION,
        "AWS_DEFAULT_REGION": ministack.REGION,
        "AWS_ENDPOINT_URL": emulator.endpoint,
        "AWS_ACCESS_KEY_ID": key,
        "AWS_SECRET_ACCESS_KEY": secret,
    }


def widened(statement: Mapping[str, Any]) -> Mapping[str, Any]:
    """Name the actions that the emulator wants named."""
    actions = several(statement["Action"])
    more = [NAMED_APART[action] for action in actions if action in NAMED_APART]
    return {**statement, "Action": [*actions, *more]}


def names(emulated: Emulated) -> dict[str, str]:
    """Return what the template's references name in the emulated account, all of it made."""
    place = f"{ministack.REGION}:{ministack.ACCOUNT}"
    _ = emulated.store, emulated.blobs  # made when they are first asked for
    found = {
        "AWS::Partition": "aws",
        "AWS::Region": ministack.REGION,
        "AWS::AccountId": ministack.ACCOUNT,
        "Stage": emulated.name,
        "Blobs": emulated.name,
        "Blobs.Arn": f"arn:aws:s3:::{emulated.name}",
    }
    for queue, short in QUEUES.items():
        found[queue] = emulated.url_of(short)
        found[f"{queue}.Arn"] = f"arn:aws:sqs:{place}:{emulated.name}-{short}"
    for table in tables.TABLES:
        physical = f"{emulated.name}-{table}"
        found[f"{table.title()}Table"] = physical
        found[f"{table.title()}Table.Arn"] = f"arn:aws:dynamodb:{place}:table/{physical}"
    return found
