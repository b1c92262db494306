"""A FIFO or standard queue in SQS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import batched
from math import ceil
from typing import TYPE_CHECKING, Final

from threadline.backends import limits
from threadline.backends.aws.patience import Patience, Unfinished
from threadline.backends.light.batches import BATCH, batches
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Outgoing, Received

if TYPE_CHECKING:
    from mypy_boto3_sqs.client import SQSClient
    from mypy_boto3_sqs.type_defs import (
        BatchResultErrorEntryTypeDef,
        ChangeMessageVisibilityBatchRequestEntryTypeDef,
        DeleteMessageBatchRequestEntryTypeDef,
        MessageTypeDef,
        SendMessageBatchRequestEntryTypeDef,
    )

LONGEST_WAIT: Final = 8
"""Seconds a receive waits at most: less than the client waits for an answer."""


class SqsQueue:
    """A Queue in SQS; a URL that ends in `.fifo` is a FIFO queue.

    A receive waits 8 s at most, and visibility counts in whole seconds (rounded up).
    """

    def __init__(self, client: SQSClient, url: str, patience: Patience) -> None:
        self._client = client
        self._url = url
        self._fifo = url.endswith(".fifo")
        self._name = url.rpartition("/")[2]
        self._patience = patience

    def send(self, messages: Sequence[Outgoing]) -> None:
        limits.check_messages(messages, fifo=self._fifo)
        spell = _fifo_entry if self._fifo else _standard_entry
        for batch in batches(messages):
            entries = {str(n): spell(str(n), message) for n, message in enumerate(batch)}
            self._each(f"send to {self._name}", entries, self._send)

    def receive(self, limit: int, *, visibility: float, wait: float = 0.0) -> tuple[Received, ...]:
        limits.check_receive(limit, visibility)
        take = partial(
            self._client.receive_message,
            QueueUrl=self._url,
            MaxNumberOfMessages=limit,
            VisibilityTimeout=ceil(visibility),
            WaitTimeSeconds=min(ceil(wait), LONGEST_WAIT),
            MessageSystemAttributeNames=[
                "ApproximateReceiveCount",
                "MessageGroupId",
                "SentTimestamp",
            ],
        )
        answer = self._patience.call(f"receive from {self._name}", take)
        return tuple(_received(message) for message in answer.get("Messages", []))

    def delete(self, receipts: Iterable[str]) -> None:
        for batch in batched(receipts, BATCH, strict=False):
            entries: dict[str, DeleteMessageBatchRequestEntryTypeDef] = {
                str(number): {"Id": str(number), "ReceiptHandle": receipt}
                for number, receipt in enumerate(batch)
            }
            self._each(f"delete in {self._name}", entries, self._delete)

    def change_visibility(self, receipts: Iterable[str], seconds: float) -> None:
        limits.check_visibility(seconds)
        for batch in batched(receipts, BATCH, strict=False):
            entries: dict[str, ChangeMessageVisibilityBatchRequestEntryTypeDef] = {
                str(number): {
                    "Id": str(number), "ReceiptHandle": receipt, "VisibilityTimeout": ceil(seconds)
                }
                for number, receipt in enumerate(batch)
            }  # fmt: skip
            self._each(f"change visibility in {self._name}", entries, self._hide)

    def _each[Entry](
        self,
        what: str,
        entries: Mapping[str, Entry],
        call: Callable[[Sequence[Entry]], Mapping[str, str]],
    ) -> None:
        pending = dict(entries)

        def attempt() -> None:
            failed = call(tuple(pending.values()))
            for done in pending.keys() - failed.keys():
                del pending[done]
            if failed:
                raise Unfinished(", ".join(sorted(set(failed.values()))))

        self._patience.call(what, attempt)

    def _send(self, entries: Sequence[SendMessageBatchRequestEntryTypeDef]) -> Mapping[str, str]:
        answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
        failed = answer.get("Failed", [])
        for one in failed:
            if one["SenderFault"]:
                raise StoreUnavailable(f"send to {self._name}: {one['Code']}")
        return {one["Id"]: one["Code"] for one in failed}

    def _delete(
        self, entries: Sequence[DeleteMessageBatchRequestEntryTypeDef]
    ) -> Mapping[str, str]:
        answer = self._client.delete_message_batch(QueueUrl=self._url, Entries=entries)
        return _not_stale(answer.get("Failed", []))

    def _hide(
        self, entries: Sequence[ChangeMessageVisibilityBatchRequestEntryTypeDef]
    ) -> Mapping[str, str]:
        answer = self._client.change_message_visibility_batch(QueueUrl=self._url, Entries=entries)
        return _not_stale(answer.get("Failed", []))


def _not_stale(failed: Sequence[BatchResultErrorEntryTypeDef]) -> Mapping[str, str]:
    """Leave out the sender's fault, a stale receipt: its message is somebody else's now, or gone.

    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_BatchResultErrorEntry.html
    """
    return {one["Id"]: one["Code"] for one in failed if not one["SenderFault"]}


def _fifo_entry(number: str, message: Outgoing) -> SendMessageBatchRequestEntryTypeDef:
    return {
        "Id": number,
        "MessageBody": message.body,
        "MessageGroupId": message.group,
        "MessageDeduplicationId": message.dedup,
    }


def _standard_entry(number: str, message: Outgoing) -> SendMessageBatchRequestEntryTypeDef:
    return {"Id": number, "MessageBody": message.body, "DelaySeconds": message.delay}


def _received(message: MessageTypeDef) -> Received:
    about = message.get("Attributes", {})
    return Received(
        body=message["Body"],
        receipt=message["ReceiptHandle"],
        id=message["MessageId"],
        group=about.get("MessageGroupId", ""),
        received=int(about["ApproximateReceiveCount"]),
        sent_at=int(about["SentTimestamp"]) / 1000,
    )
