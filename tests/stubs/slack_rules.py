"""What Slack's Web API refuses, in its own words.

https://docs.slack.dev/reference/methods/chat.postMessage
https://docs.slack.dev/reference/methods/chat.update
https://docs.slack.dev/reference/block-kit/block-elements/button-element
"""

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any

from tests.stubs.serving import Answer

MOST_CHARACTERS = 40_000
MOST_BYTES_OF_AN_EDIT = 4000
MOST_BYTES_OF_METADATA = 8000
MOST_BUTTONS = 25
BY_FORM_ONLY = {
    "conversations.history", "conversations.replies", "files.info", "files.getUploadURLExternal",
}  # fmt: skip
PINGS = re.compile(r"<(?:@|!)[^>]*>")
EVENT_TYPE = re.compile(r"[A-Za-z0-9_]{1,255}")


class Refusal(Exception):
    """What a rule says of a call: the answer in the shape of the Web API."""

    def __init__(self, error: str, **more: Any) -> None:
        super().__init__(error)
        self.answer = refused(error, **more)


def refused(error: str, status: int = 200, **more: Any) -> Answer:
    """Give a refusal; nearly all come with status 200."""
    return Answer(status, {"ok": False, "error": error, **more})


def too_many(seconds: int) -> Answer:
    """Give the answer to a call that came too soon."""
    return Answer(429, {"ok": False, "error": "ratelimited"}, {"retry-after": str(seconds)})


def check_text(text: object, most_bytes: int = 0) -> str:
    """Refuse a text that is none or too long; a limit in bytes counts what was sent."""
    if not isinstance(text, str) or not text.strip():
        raise Refusal("no_text")
    if most_bytes and len(text.encode()) > most_bytes:
        raise Refusal("msg_too_long")
    return text[:MOST_CHARACTERS]


def check_literal(parameters: Mapping[str, Any]) -> None:
    """Refuse, as the real one never would, a call that lets Slack find names in the text."""
    if parameters.get("parse") != "none" or parameters.get("link_names") is not False:
        raise Refusal("invalid_arguments")


def check_metadata(metadata: object) -> Mapping[str, Any]:
    """Refuse metadata without a type or with a payload that is no object."""
    if metadata is None:
        return {}
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_payload"), dict):
        raise Refusal("invalid_metadata_format")
    if not EVENT_TYPE.fullmatch(str(metadata.get("event_type", ""))):
        raise Refusal("invalid_metadata_schema")
    if len(json.dumps(metadata)) > MOST_BYTES_OF_METADATA:
        raise Refusal("metadata_too_large")
    return metadata


def check_client_id(given: object) -> str:
    """Refuse a client's message id that is no UUID."""
    if given is None:
        return ""
    try:
        return str(uuid.UUID(str(given)))
    except ValueError:
        raise Refusal("invalid_arguments") from None


def check_attachments(attachments: object) -> list[str]:
    """Refuse buttons out of shape and give the values of those that are fine."""
    if attachments is None:
        return []
    if not isinstance(attachments, list) or len(attachments) > 100:
        raise Refusal("invalid_attachments")
    values = []
    for block in (block for one in attachments for block in one.get("blocks", [])):
        elements = block.get("elements", [])
        actions = {element.get("action_id") for element in elements}
        if block.get("type") != "actions" or not 0 < len(elements) <= MOST_BUTTONS:
            raise Refusal("invalid_blocks")
        if len(actions) != len(elements) or len(block.get("block_id", "")) > 255:
            raise Refusal("invalid_blocks")
        values += [_button(element) for element in elements]
    return values


def _button(element: Mapping[str, Any]) -> str:
    label, value = element.get("text", {}), element.get("value", "")
    if element.get("type") != "button" or label.get("type") != "plain_text":
        raise Refusal("invalid_blocks")
    if not 0 < len(label.get("text", "")) <= 75 or not 0 < len(value) <= 2000:
        raise Refusal("invalid_blocks")
    return str(value)
