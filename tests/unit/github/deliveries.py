"""Recorded deliveries of GitHub, as they are or changed in a few places."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tests.contract.platforms.github import CREDENTIALS
from tests.events import recording
from threadline.core.message import Message, Messages, Parsed, Webhook
from threadline.core.posting import Credentials
from threadline.platforms.github import PLATFORM

NOW = 1_790_000_000.0

type Change = Callable[[dict[str, Any]], object]


def request(case: str, *changes: Change, **headers: str | None) -> Webhook:
    """Give a recorded request; a header of None is left out, `_` in its name stands for `-`."""
    recorded = recording("github", case)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    merged = {**recorded.webhook.headers, **named}
    webhook = replace(recorded.webhook, headers={k: v for k, v in merged.items() if v is not None})
    if not changes:
        return webhook
    payload = recorded.payload
    for change in changes:
        change(payload)
    return replace(webhook, body=json.dumps(payload).encode())


def parsed(
    case: str, *changes: Change, credentials: Credentials = CREDENTIALS, **headers: str | None
) -> Parsed:
    """Parse a recorded delivery."""
    return PLATFORM.parse(request(case, *changes, **headers), credentials, NOW)


def message(
    case: str, *changes: Change, credentials: Credentials = CREDENTIALS, **headers: str | None
) -> Message:
    """Parse a recorded delivery that leads to a message."""
    found = parsed(case, *changes, credentials=credentials, **headers)
    assert isinstance(found, Messages)
    (only,) = found.messages
    return only


def said(text: str) -> Message:
    """Give a comment of a member with this text."""
    return message("issue_comment.created", put("comment", "body", value=text))


def put(*path: str, value: object) -> Change:
    """Give a change that sets one value of a payload."""

    def change(payload: dict[str, Any]) -> None:
        owner: Any = payload
        for name in path[:-1]:
            owner = owner[name]
        owner[path[-1]] = value

    return change


def without(name: str) -> Change:
    """Give a change that takes a member of the payload away."""
    return lambda payload: payload.pop(name)


def association(name: str) -> Change:
    """Give a change of what GitHub says of the comment's author."""
    return put("comment", "author_association", value=name)


def by(account: Mapping[str, Any] | None) -> Change:
    """Give a change of who acts, leaving the author of what is acted on."""
    return put("sender", value=account)
