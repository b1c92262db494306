"""A recorded delivery sent to the running front door, and what became of it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx

from threadline.app.configure.surroundings import DEFAULT_APP
from threadline.backends.lambda_http import webhook
from threadline.core.errors import ThreadlineError
from threadline.core.message import Webhook
from threadline.local.front_door import REQUEST_ID


class NotARecording(ThreadlineError):
    """The file is no HTTP API event, or its expectation cannot be read."""


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded request, for which platform and app, and what it must become."""

    platform: str
    app: str
    request: Webhook
    expect: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answered:
    """The front door's answer: its status and the id by which the log knows the request."""

    status: int
    request: str


def read_recording(path: Path) -> Recording:
    """Read `<case>.json` and `<case>.expect.json` beside it. Raises NotARecording."""
    try:
        event = json.loads(path.read_bytes())
        beside = path.with_name(path.name.removesuffix(".json") + ".expect.json")
        expect = json.loads(beside.read_bytes()) if beside.exists() else {}
        request = webhook(event)
        _, _, platform, *app = request.path.split("/")
    except OSError as error:
        raise NotARecording(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise NotARecording(
            f"{path} is no recorded delivery: name a file such as events/playground/message.json"
        ) from None
    return Recording(platform, app[0] if app else DEFAULT_APP, request, expect)


def send(request: Webhook, url: str) -> Answered:
    """Send the request as the platform would. Raises ThreadlineError where nobody answers."""
    query = f"?{urlencode(request.query)}" if request.query else ""
    left_out = {"host", "content-length", "connection", "accept-encoding", "transfer-encoding"}
    headers = {name: value for name, value in request.headers.items() if name not in left_out}
    try:
        answer = httpx.request(
            request.method, f"{url}{request.path}{query}", headers=headers, content=request.body
        )
    except httpx.HTTPError as error:
        raise ThreadlineError(f"{url} does not answer: {error}") from None
    return Answered(answer.status_code, answer.headers.get(REQUEST_ID, ""))


def lines_of(request: str, lines: Iterable[Mapping[str, object]]) -> list[Mapping[str, object]]:
    """Find what the front door logged of one request."""
    return [
        line for line in lines if line.get("event") == "delivery" and line.get("request") == request
    ]


def outcome(status: int, lines: Iterable[Mapping[str, object]]) -> dict[str, str]:
    """Say what became of a request at the front door, in the words of an expectation."""
    told = list(lines)
    reason = str(told[0].get("reason", "")) if told else ""
    mailbox = " ".join(sorted({str(line["mailbox"]) for line in told if line.get("mailbox")}))
    if status >= 400:
        return {"outcome": "refused", "reason": reason}
    if reason == "accepted":
        return {"outcome": "accepted", "mailbox": mailbox}
    if reason == "handshake":
        return {"outcome": "handshake"}
    return {"outcome": "ignored", "reason": reason}


def unexpected(expect: Mapping[str, Any], got: Mapping[str, str]) -> list[str]:
    """List where the outcome is another than expected."""
    wanted = {
        name: str(expect[name]) for name in ("outcome", "reason", "mailbox") if name in expect
    }
    return [
        f"{name} is {got.get(name, '(none)')}, expected {value}"
        for name, value in wanted.items()
        if got.get(name) != value
    ]
