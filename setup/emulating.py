"""What stands in the emulator of `make emulator`: the resources of template.yaml, and secrets."""

from __future__ import annotations

import json
import secrets
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, Mapping

import boto3

from setup.template import BUCKET, FUNCTION, QUEUE, TABLE, environment, load, resolved, resources
from threadline.app.configure.kinds import AGENT_SECRETS, KINDS
from threadline.local.emulator import INSIDE, REGION

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

STAGE: Final = "local"
STACK: Final = f"threadline-{STAGE}"
ACCOUNT: Final = "000000000000"
AGENT: Final = "demo"

RECORDED: Final[Mapping[str, Mapping[str, str]]] = {
    "telegram/default": {"webhook_secret": "recorded-webhook-secret"},
    "github/default": {"webhook_secret": "recorded-webhook-secret"},
    "slack/default": {"signing_secret": "recorded-signing-secret"},
    "feishu/default": {
        "verification_token": "recorded-verification-token",
        "encrypt_key": "recorded-encrypt-key",
    },
    "discord/default": {
        # With this half of the key recordings are signed as Discord signs with the one it keeps.
        "signing_key": bytes(range(32)).hex(),
        "public_key": "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8",
    },
}
"""What the recordings of events/ were signed with; worth nothing anywhere else."""

QUEUE_ATTRIBUTES: Final[tuple[QueueAttributeNameType, ...]] = (
    "FifoQueue", "DeduplicationScope", "FifoThroughputLimit", "ContentBasedDeduplication",
    "VisibilityTimeout", "MessageRetentionPeriod", "RedrivePolicy",
)  # fmt: skip
"""Properties of a queue that are attributes of it by the same name; the rest is encryption."""


def names(url: str) -> Mapping[str, str]:
    """Give what the template's references name, the emulator being at an address."""
    template = load()
    known = {
        "AWS::Partition": "aws", "AWS::Region": REGION, "AWS::AccountId": ACCOUNT,
        "AWS::StackName": STACK, "Stage": STAGE, "Endpoint": url, "HasEndpoint": "yes",
        "DeletionProtection": "false",
    }  # fmt: skip
    for logical, _ in resources(template, TABLE):
        known[logical] = f"{STACK}-{logical.removesuffix('Table').lower()}"
    for logical, _ in resources(template, BUCKET):
        known[logical] = f"{STACK}-{logical.lower()}"
    for logical, properties in resources(template, QUEUE):
        name = resolved(properties["QueueName"], known)
        known[logical] = f"{url}/{ACCOUNT}/{name}"
        known[f"{logical}.Arn"] = f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
    return known


def environments(url: str = INSIDE) -> Mapping[str, Mapping[str, str]]:
    """Give what `sam local` is to tell each function: the content of events/env.json."""
    template, known = load(), names(url)
    return {
        name: resolved(environment(template, name), known)
        for name, _ in resources(template, FUNCTION)
    }


def make(url: str) -> Mapping[str, tuple[str, ...]]:
    """Make the tables, queues and buckets of the template; give the names of each kind."""
    known, template = names(url), load()
    session = boto3.Session("emulator", "emulator", region_name=REGION)
    with closing(session.client("dynamodb", endpoint_url=url)) as dynamodb:
        for logical, properties in resources(template, TABLE):
            _table(dynamodb, known[logical], resolved(properties, known))
    with closing(session.client("sqs", endpoint_url=url)) as sqs:
        # Those without dead letters of their own come first: the others name them.
        queues = [resolved(one, known) for _, one in resources(template, QUEUE)]
        for properties in sorted(queues, key=lambda one: "RedrivePolicy" in one):
            _queue(sqs, properties)
    with closing(session.client("s3", endpoint_url=url)) as s3:
        for logical, _ in resources(template, BUCKET):
            s3.create_bucket(Bucket=known[logical])
    return {
        "tables": tuple(known[logical] for logical, _ in resources(template, TABLE)),
        "queues": tuple(str(one["QueueName"]) for one in queues),
        "bucket": tuple(known[logical] for logical, _ in resources(template, BUCKET)),
    }


def _table(client: DynamoDBClient, name: str, properties: Mapping[str, Any]) -> None:
    wanted = ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode")
    client.create_table(
        TableName=name, **{one: properties[one] for one in wanted if one in properties}
    )
    client.update_time_to_live(
        TableName=name, TimeToLiveSpecification=properties["TimeToLiveSpecification"]
    )


def _queue(client: SQSClient, properties: Mapping[str, Any]) -> None:
    attributes: dict[QueueAttributeNameType, str] = {}
    for name in QUEUE_ATTRIBUTES:
        if name in properties:
            value = properties[name]
            attributes[name] = value if isinstance(value, str) else json.dumps(value)
    client.create_queue(QueueName=properties["QueueName"], Attributes=attributes)


def made_up() -> Mapping[str, Mapping[str, str]]:
    """Give the secrets of each platform's app `default` and of the agent: RECORDED or nobody's."""
    found = {
        f"{platform}/default": {one.name: _nobody(one.name) for one in kind.secrets}
        for platform, kind in KINDS.items()
        if not kind.only_local and not kind.own_address
    }
    found[f"agent/{AGENT}"] = {one.name: _nobody(one.name) for one in AGENT_SECRETS if one.made}
    # An App of GitHub's would ask GitHub for a token; a token is taken as it is.
    for name in ("app_id", "private_key"):
        del found["github/default"][name]
    return {entry: {**made, **RECORDED.get(entry, {})} for entry, made in found.items()}


def _nobody(name: str) -> str:
    return f"{name.replace('_', '-')}-of-nobody-{secrets.token_urlsafe(24)}"
