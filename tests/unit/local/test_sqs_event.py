import pytest

from threadline.core.ports import Received
from threadline.local.sqs_event import Batch, failed_ids, sqs_event

FIRST = Received("{}", "receipt-1", "id-1", "group-1", 1, 1545082649.183)
SECOND = Received("This is a test message", "receipt-2", "id-2", "group-1", 3, 1545082650.0)


def test_messages_become_the_records_lambda_gets() -> None:
    """A FIFO message has the documented record: ids, counts, times in ms, group, digest."""
    records = sqs_event(Batch("mailbox", True, (FIRST, SECOND)))["Records"]
    assert [record["messageId"] for record in records] == ["id-1", "id-2"]
    assert records[1] == {
        "messageId": "id-2",
        "receiptHandle": "receipt-2",
        "body": "This is a test message",
        "attributes": {
            "ApproximateReceiveCount": "3",
            "SentTimestamp": "1545082650000",
            "SenderId": "local",
            "ApproximateFirstReceiveTimestamp": "1545082650000",
            "SequenceNumber": "00000001545082650000",
            "MessageGroupId": "group-1",
            "MessageDeduplicationId": "id-2",
        },
        "messageAttributes": {},
        "md5OfBody": "fafb00f5732ab283681e124bf8747ed1",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:local:000000000000:mailbox.fifo",
        "awsRegion": "local",
    }


def test_a_standard_queue_has_no_groups() -> None:
    """Records of a standard queue lack the attributes that only FIFO queues have."""
    record = sqs_event(Batch("outbox", False, (FIRST,)))["Records"][0]
    assert record["eventSourceARN"].endswith(":outbox")
    assert not {"MessageGroupId", "SequenceNumber"} & set(record["attributes"])


EVERYTHING = frozenset({"id-1", "id-2"})


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, frozenset()),
        ({}, frozenset()),
        ({"batchItemFailures": None}, frozenset()),
        ({"batchItemFailures": []}, frozenset()),
        ({"batchItemFailures": [{"itemIdentifier": "id-2"}]}, frozenset({"id-2"})),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, EVERYTHING),
        ({"batchItemFailures": [{"itemIdentifier": None}]}, EVERYTHING),
        ({"batchItemFailures": [{"identifier": "id-2"}]}, EVERYTHING),
        ({"batchItemFailures": [{"itemIdentifier": "id-9"}]}, EVERYTHING),
        ({"batchItemFailures": 7}, EVERYTHING),
    ],
)
def test_failures_are_read_as_lambda_reads_them(answer: object, failed: frozenset[str]) -> None:
    """Nothing reported is success; a report that names no message of the batch fails all of it."""
    assert failed_ids(answer, (FIRST, SECOND)) == failed
