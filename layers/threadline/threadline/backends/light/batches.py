"""How many messages one call to SQS takes."""

from collections.abc import Iterator, Sequence
from typing import Final

from threadline.backends import limits
from threadline.core.ports import Outgoing

BATCH: Final = 10


def batches(messages: Sequence[Outgoing]) -> Iterator[Sequence[Outgoing]]:
    """Split messages into calls: ten at most, and together no longer than one may be alone.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html
    """
    batch: list[Outgoing] = []
    size = 0
    for message in messages:
        length = len(message.body.encode())
        if batch and (len(batch) == BATCH or size + length > limits.MAX_BODY):
            yield batch
            batch, size = [], 0
        batch.append(message)
        size += length
    if batch:
        yield batch
