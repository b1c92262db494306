"""Take a webhook with slack_bolt and send it on with boto3: once (`once`) or again (`warm`)."""

import json
import os
import sys
from types import SimpleNamespace
from typing import Any

import boto3
from slack_bolt import App
from slack_bolt.adapter.aws_lambda import SlackRequestHandler
from slack_bolt.authorization import AuthorizeResult

from tests.bench.loops import case, tell_latencies, tell_peak

CASE = case()
CONTEXT = SimpleNamespace(function_name="ingest", invoked_function_arn="arn:ingest")
SQS = boto3.client("sqs")


def authorize() -> AuthorizeResult:
    """Know the installation without asking Slack."""
    return AuthorizeResult(
        enterprise_id=None, team_id="T0ACME001", bot_token="xoxb-of-nobody", bot_id="B0BOT0001",
        bot_user_id="U0BOT0001",
    )  # fmt: skip


def hear(event: dict[str, Any], body: dict[str, Any]) -> None:
    """Send the event to the mailbox."""
    entry = {
        "Id": "0", "MessageBody": json.dumps(event), "MessageGroupId": event["channel"],
        "MessageDeduplicationId": body["event_id"],
    }  # fmt: skip
    url = os.environ["THREADLINE_MAILBOX_QUEUE_URL"]
    assert not SQS.send_message_batch(QueueUrl=url, Entries=[entry])["Failed"]


app = App(
    signing_secret=CASE["secrets"]["signing_secret"], process_before_response=True,
    authorize=authorize,
)  # fmt: skip
app.event("message")(hear)
HANDLER = SlackRequestHandler(app)


def take() -> None:
    """Take the delivery once."""
    assert HANDLER.handle(CASE["event"], CONTEXT)["statusCode"] == 200


if __name__ == "__main__":
    if sys.argv[1] == "warm":
        tell_latencies(take)
    else:
        take()
        tell_peak()
