"""Received messages as the event SQS gives Lambda, and which of them the function gave back.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from threadline.core.ports import Received


@dataclass(frozen=True, slots=True)
class Batch:
    """The messages of one invocation, in order, of a queue by its name."""

    queue: str
    fifo: bool
    messages: tuple[Received, ...]


def sqs_event(batch: Batch) -> dict[str, Any]:
    """Build the event of a batch."""
    return {"Records": [_record(message, batch) for message in batch.messages]}


def failed_ids(answer: object, messages: Sequence[Received]) -> frozenset[str]:
    """Tell which messages stay in the queue, by id.

    As Lambda reads it: nothing reported is success; a report with an empty or unknown id is a
    failure of the whole batch.
    """
    everything = frozenset(message.id for message in messages)
    if not isinstance(answer, Mapping):
        return frozenset()
    reported = answer.get("batchItemFailures") or ()
    if not isinstance(reported, Sequence):
        return everything
    ids = [item.get("itemIdentifier") if isinstance(item, Mapping) else None for item in reported]
    if any(identifier not in everything for identifier in ids):
        return everything
    return frozenset(str(identifier) for identifier in ids)


def _record(message: Received, batch: Batch) -> dict[str, Any]:
    sent = str(int(message.sent_at * 1000))
    attributes = {
        "ApproximateReceiveCount": str(message.received),
        "SentTimestamp": sent,
        "SenderId": "local",
        "ApproximateFirstReceiveTimestamp": sent,
    }
    if batch.fifo:
        attributes |= {
            "SequenceNumber": sent.rjust(20, "0"),
            "MessageGroupId": message.group,
            "MessageDeduplicationId": message.id,
        }
    return {
        "messageId": message.id,
        "receiptHandle": message.receipt,
        "body": message.body,
        "attributes": attributes,
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(message.body.encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:local:000000000000:{batch.queue}"
        + (".fifo" if batch.fifo else ""),
        "awsRegion": "local",
    }
