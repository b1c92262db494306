"""Deliveries of Feishu for unit tests: recordings with some parts changed."""

import json
from dataclasses import replace
from typing import Any

from tests.contract.platforms.feishu import CREDENTIALS
from tests.events import recording
from threadline.core.message import FileRef, Message, Messages, Parsed, Webhook
from threadline.core.posting import Credentials
from threadline.platforms.feishu import PLATFORM

PLAIN = replace(
    CREDENTIALS,
    secrets={name: text for name, text in CREDENTIALS.secrets.items() if name != "encrypt_key"},
)
"""The app without an Encrypt Key."""


def parse(payload: Any, credentials: Credentials = PLAIN) -> Parsed:
    """Parse a body that was accepted."""
    request = Webhook("POST", "/", {}, {}, json.dumps(payload).encode())
    return PLATFORM.parse(request, credentials, 0.0)


def changed(
    case: str,
    sender: dict[str, Any] | None = None,
    credentials: Credentials = PLAIN,
    **message: Any,
) -> Parsed:
    """Parse a recording with other parts; None takes one away."""
    payload = recording("feishu", case).payload
    event = payload["event"]
    merged = {**event["message"], **message}
    event["message"] = {name: value for name, value in merged.items() if value is not None}
    event["sender"] |= sender or {}
    return parse(payload, credentials)


def message_of(parsed: Parsed) -> Message:
    """Give the only message."""
    assert isinstance(parsed, Messages)
    (message,) = parsed.messages
    return message


def holding(kind: str, content: Any, **message: Any) -> Parsed:
    """Parse a private message of this type."""
    return changed("message.p2p", message_type=kind, content=json.dumps(content), **message)


def text_of(kind: str, content: Any) -> str:
    """Give what the agent reads of a private message."""
    return message_of(holding(kind, content)).text


def files_of(kind: str, content: Any) -> tuple[FileRef, ...]:
    """Give the files of a private message."""
    return message_of(holding(kind, content)).files
