"""Recorded events of functions, as Lambda would be given them now."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from threadline.app.connect import HEADER
from threadline.core.message import Webhook
from threadline.local.http_event import body_of, moment

_EPOCH: Final = 1e9
"""Numbers above are times in seconds, those below are durations or nothing."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """What makes an event a new one: its time in epoch seconds, and an id for what it tells of."""

    now: float
    id: str


def delivery(event: Mapping[str, Any], request: Webhook, now: float) -> dict[str, Any]:
    """Put a stamped request into the event it was recorded as."""
    body, coded = body_of(request.body, request.headers)
    headers = {**request.headers, "content-length": str(len(request.body))}
    return {**_called(event, now), "headers": headers, "body": body, "isBase64Encoded": coded}


def callback(event: Mapping[str, Any], secret: str, fresh: Fresh) -> dict[str, Any]:
    """Let an agent call now, with its secret, about another run than before."""
    body = json.dumps({**json.loads(event["body"]), "run_id": fresh.id})
    headers = {**event["headers"], HEADER: secret, "content-length": str(len(body))}
    return {**_called(event, fresh.now), "headers": headers, "body": body}


def scheduled(event: Mapping[str, Any], fresh: Fresh) -> dict[str, Any]:
    """Let the schedule be due now."""
    at = datetime.fromtimestamp(fresh.now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {**event, "id": fresh.id, "time": at}


def batch(event: Mapping[str, Any], fresh: Fresh) -> dict[str, Any]:
    """Let the messages of a batch be sent now, and all that they say be as long ago as it was."""
    return {**event, "Records": [_record(record, fresh) for record in event["Records"]]}


def _called(event: Mapping[str, Any], now: float) -> dict[str, Any]:
    return {**event, "requestContext": {**event["requestContext"], **moment(now)}}


def _record(record: Mapping[str, Any], fresh: Fresh) -> dict[str, Any]:
    sent = str(int(fresh.now * 1000))
    later = fresh.now - int(record["attributes"]["SentTimestamp"]) / 1000
    body = json.dumps(_renewed(_shifted(json.loads(record["body"]), later), fresh))
    new = {
        "SentTimestamp": sent,
        "ApproximateFirstReceiveTimestamp": sent,
        "MessageDeduplicationId": fresh.id,
    }
    return {
        **record,
        "messageId": fresh.id,
        "body": body,
        "attributes": {name: new.get(name, old) for name, old in record["attributes"].items()},
        "md5OfBody": hashlib.md5(body.encode(), usedforsecurity=False).hexdigest(),
    }


def _shifted(value: Any, later: float) -> Any:
    match value:
        case dict():
            return {name: _later(name, one, later) for name, one in value.items()}
        case list():
            return [_shifted(one, later) for one in value]
        case _:
            return value


def _later(name: str, value: Any, later: float) -> Any:
    if isinstance(value, float) and value > _EPOCH and (name == "at" or name.endswith("_at")):
        return value + later
    return _shifted(value, later)


def _renewed(body: dict[str, Any], fresh: Fresh) -> dict[str, Any]:
    """Let a message that arrived be another one, written now; all else is about what was before."""
    message = body.get("message")
    if not isinstance(message, dict):
        return body
    number = str(int(fresh.now * 1000))
    new = {"id": number, "anchor": number, "order": number.zfill(16), "sent_at": fresh.now}
    return {**body, "message": {**message, **new, "delivery": f"{message['delivery']}-{fresh.id}"}}
