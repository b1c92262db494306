"""Recorded deliveries, `events/<platform>/<case>.json`, and what each must become.

A recording is an API Gateway HTTP API event (payload version 2.0). `<case>.expect.json` beside it
names only what matters to the case:

    {"outcome": "accepted", "mailbox": "telegram/default/7", "messages": [{"id": "55"}]}
    {"outcome": "ignored", "reason": "own_message"}

`outcome` is accepted, ignored, handshake or refused; the names in `messages` are the fields of
`threadline.core.message.Message`. `without` names secrets that the app of this case does not have.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any, assert_never
from urllib.parse import parse_qs

from threadline.backends import lambda_http
from threadline.core.errors import DeliveryRejected
from threadline.core.message import Handshake, Ignored, Messages, Webhook
from threadline.core.platform import Parses, ReceivesHttp
from threadline.core.posting import Credentials

EVENTS = Path(__file__).resolve().parent.parent / "events"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One recorded delivery."""

    platform: str
    case: str
    event: Mapping[str, Any]
    expect: Mapping[str, Any]

    @property
    def webhook(self) -> Webhook:
        """The request as a platform sees it."""
        return lambda_http.webhook(self.event)

    @property
    def payload(self) -> Any:
        """The JSON the delivery carries, as its body or as the field of a form, or the form."""
        if "form" in self.webhook.headers["content-type"]:
            form = parse_qs(self.event["body"], keep_blank_values=True)
            single = {name: values[0] for name, values in form.items()}
            return json.loads(single["payload"]) if "payload" in single else single
        return json.loads(self.event["body"])

    @property
    def without(self) -> frozenset[str]:
        """The secrets that the app of this case does not have."""
        return frozenset(self.expect.get("without", ()))

    def __str__(self) -> str:
        return f"{self.platform}-{self.case}"


def recordings(platform: str) -> tuple[Recorded, ...]:
    """Read every recorded delivery of a platform, by name."""
    expectations = sorted((EVENTS / platform).glob("*.expect.json"))
    cases = [path.name.removesuffix(".expect.json") for path in expectations]
    return tuple(recording(platform, case) for case in cases)


def recording(platform: str, case: str) -> Recorded:
    """Read one recorded delivery."""
    folder = EVENTS / platform
    event = json.loads((folder / f"{case}.json").read_text(encoding="utf-8"))
    expect = json.loads((folder / f"{case}.expect.json").read_text(encoding="utf-8"))
    return Recorded(platform, case, event, expect)


def outcome(
    codec: Parses, request: Webhook, credentials: Credentials, now: float
) -> dict[str, Any]:
    """Verify and parse a request and say what became of it, in the words of an expectation."""
    try:
        if isinstance(codec, ReceivesHttp):
            codec.verify(request, credentials, now)
    except DeliveryRejected as rejected:
        return {"outcome": "refused", "reason": rejected.reason}
    parsed = codec.parse(request, credentials, now)
    match parsed:
        case Messages(messages):
            boxes = sorted({message.mailbox for message in messages})
            shown = [plain(asdict(message)) for message in messages]
            return {"outcome": "accepted", "mailbox": " ".join(boxes), "messages": shown}
        case Ignored(reason, detail):
            return {"outcome": "ignored", "reason": str(reason), "detail": detail}
        case Handshake(body):
            return {"outcome": "handshake", "body": body.decode()}
        case _:
            assert_never(parsed)


def differences(expected: object, actual: object, where: str = "") -> list[str]:
    """List where `actual` lacks what is expected; more than is expected is no difference."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        return [
            line
            for name, value in expected.items()
            for line in differences(value, actual.get(name, "(absent)"), f"{where}.{name}")
        ]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            line
            for number, value in enumerate(expected)
            for line in differences(value, actual[number], f"{where}[{number}]")
        ]
    return [] if expected == actual else [f"{where}: expected {expected!r}, got {actual!r}"]


def plain(value: object) -> Any:
    """Give a value as JSON would hold it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value
