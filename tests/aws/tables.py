"""The tables and queues as the stack defines them, for emulators."""

from collections.abc import Mapping
from typing import Final

from mypy_boto3_dynamodb.client import DynamoDBClient
from mypy_boto3_dynamodb.type_defs import CreateTableInputTypeDef
from mypy_boto3_sqs.client import SQSClient
from mypy_boto3_sqs.literals import QueueAttributeNameType

TABLES: Final = ("conversations", "deliveries", "connections", "outbox", "settings")
WITH_DUE: Final = frozenset({"conversations", "outbox"})

FIFO: Final[Mapping[QueueAttributeNameType, str]] = {
    "FifoQueue": "true",
    "ContentBasedDeduplication": "false",
    "DeduplicationScope": "messageGroup",
    "FifoThroughputLimit": "perMessageGroupId",
}


def create_table(client: DynamoDBClient, name: str, physical: str) -> None:
    """Make an empty table."""
    client.create_table(**definition(name, physical))
    client.update_time_to_live(
        TableName=physical,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"},
    )


def definition(name: str, physical: str) -> CreateTableInputTypeDef:
    """Return a table's partition and sort key, and the index of due items where it has one."""
    wanted: CreateTableInputTypeDef = {
        "TableName": physical,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    }
    if name in WITH_DUE:
        wanted["AttributeDefinitions"] = [
            *wanted["AttributeDefinitions"],
            {"AttributeName": "due", "AttributeType": "S"},
            {"AttributeName": "due_at", "AttributeType": "S"},
        ]
        wanted["GlobalSecondaryIndexes"] = [
            {
                "IndexName": "due",
                "KeySchema": [
                    {"AttributeName": "due", "KeyType": "HASH"},
                    {"AttributeName": "due_at", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "ALL"},
            }
        ]
    return wanted


def create_queue(client: SQSClient, physical: str) -> str:
    """Make an empty queue, FIFO where its name says so, and return its URL."""
    attributes = FIFO if physical.endswith(".fifo") else {}
    return client.create_queue(QueueName=physical, Attributes=attributes)["QueueUrl"]
