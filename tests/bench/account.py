"""As much of an AWS account as taking a webhook needs, over plain HTTP, counting its calls."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, override

from tests.stubs.serving import Answer, Served
from threadline.app import settings_index
from threadline.backends.aws import rows
from threadline.core.apps import AppSettings
from threadline.core.json import Json
from threadline.core.ports import Item
from threadline.core.schema import SCHEMA

QUEUE = "https://sqs.eu-central-1.amazonaws.com/123456789012/mailbox.fifo"


@dataclass(slots=True, kw_only=True)
class Account(Served):
    """Gives the settings' index and one secret, and takes what is sent."""

    app: AppSettings
    secrets: Mapping[str, str]
    calls: Counter[str] = field(default_factory=Counter)

    @property
    def environ(self) -> dict[str, str]:
        """What a function in this account is told."""
        return {
            "AWS_ENDPOINT_URL": self.url, "AWS_REGION": "eu-central-1",
            "AWS_DEFAULT_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKIDOFNOBODY",
            "AWS_SECRET_ACCESS_KEY": "of-nobody", "AWS_EC2_METADATA_DISABLED": "true",
            "THREADLINE_STAGE": "dev", "THREADLINE_SETTINGS_TABLE": "settings",
            "THREADLINE_MAILBOX_QUEUE_URL": QUEUE, "THREADLINE_BLOBS_BUCKET": "blobs",
            "THREADLINE_SECRETS_PREFIX": "threadline/dev/",
        }  # fmt: skip

    @override
    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        operation = headers.get("x-amz-target", f"{method} {target}").rpartition(".")[2]
        self.calls[operation] += 1
        match operation:
            case "GetItem":
                return Answer(200, {"Item": self._index()})
            case "GetSecretValue":
                return Answer(200, {"SecretString": json.dumps(dict(self.secrets))})
            case "SendMessageBatch":
                entries = json.loads(body)["Entries"]
                return Answer(200, {"Successful": [_taken(one) for one in entries], "Failed": []})
        return Answer(400, {"__type": "InvalidAction", "message": operation})

    def _index(self) -> Mapping[str, Any]:
        apps: list[Json] = [settings_index.app_entry(self.app)]
        attributes: dict[str, Json] = {"schema": SCHEMA, "version": "1", "apps": apps}
        return rows.row(Item(settings_index.KEY, attributes), 1, "w", 1_790_000_000.0)


def _taken(entry: Mapping[str, str]) -> Mapping[str, str]:
    digest = hashlib.md5(entry["MessageBody"].encode(), usedforsecurity=False).hexdigest()
    return {"Id": entry["Id"], "MessageId": f"m-{entry['Id']}", "MD5OfMessageBody": digest}
