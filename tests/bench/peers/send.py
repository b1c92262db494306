"""Send one message to a queue with boto3, and do no more."""

import os

import boto3

from tests.bench.loops import tell_peak

if __name__ == "__main__":
    entry = {
        "Id": "0", "MessageBody": "{}", "MessageGroupId": "g", "MessageDeduplicationId": "d"
    }  # fmt: skip
    url = os.environ["THREADLINE_MAILBOX_QUEUE_URL"]
    sent = boto3.client("sqs").send_message_batch(QueueUrl=url, Entries=[entry])
    assert not sent.get("Failed")
    tell_peak()
