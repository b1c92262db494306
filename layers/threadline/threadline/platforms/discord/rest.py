"""Calls of Discord's HTTP API, at the pace that its answers ask for.

https://docs.discord.com/developers/reference#http-api
"""

import json
from dataclasses import replace
from typing import Final, Literal

from threadline.core.errors import PostError
from threadline.core.http import Flow, HttpRequest, HttpResponse, Joined, Lost, ask, pause
from threadline.core.json import JsonObject
from threadline.core.policy import redact
from threadline.core.posting import Credentials
from threadline.platforms.discord import refusal
from threadline.platforms.discord.refusal import Answer, Refused

HOST: Final = "discord.com"
VERSION: Final = "/api/v10"
AGENT: Final = "DiscordBot (https://threadline.example, 0.1)"
"""The form that Discord asks of libraries; requests without it may be refused."""

LONGEST_REST: Final = 5.0

type Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]


def call(
    method: Method,
    path: str,
    body: JsonObject | None,
    credentials: Credentials,
    *,
    what: str,
    repeatable: bool = False,
) -> Flow[Answer]:
    """Call with JSON and give the object that came back."""
    asked = request(method, path, credentials, what, repeatable=repeatable)
    if body is not None:
        asked = with_body(asked, json.dumps(body).encode(), "application/json")
    return refusal.read((yield from send(asked)))


def look(path: str, credentials: Credentials, what: str) -> Flow[Answer]:
    """Ask for what is read only; a list is given as the object `{"list": …}`."""
    asked = request("GET", path, credentials, what, repeatable=True)
    return refusal.read_any((yield from send(asked)))


def request(
    method: Method, path: str, credentials: Credentials, what: str, *, repeatable: bool = False
) -> HttpRequest:
    """Make a request. A path under `/webhooks/` holds what allows it and needs no token."""
    headers = {"user-agent": AGENT}
    if not path.startswith("/webhooks/"):
        headers["authorization"] = f"Bot {credentials.secret('bot_token')}"
    root = credentials.base_url.rstrip("/") or f"https://{HOST}"
    return HttpRequest(
        method=method,
        url=f"{root}{VERSION}{path}",
        label=f"discord {what}",
        headers=headers,
        repeatable=repeatable,
    )


def with_body(asked: HttpRequest, body: bytes | Joined, content_type: str) -> HttpRequest:
    """Give the request a body."""
    return replace(asked, body=body, headers={**asked.headers, "content-type": content_type})


def send(asked: HttpRequest) -> Flow[HttpResponse | Lost]:
    """Send a request, and rest where it used up the bucket's limit."""
    answer = yield from ask(asked)
    if isinstance(answer, HttpResponse) and answer.status < 400:
        rest = used_up_for(answer)
        if rest:
            yield from pause(rest)
    return answer


def used_up_for(answer: HttpResponse) -> float:
    """Give how long nothing more may be asked in this bucket, in seconds, at most a few.

    https://docs.discord.com/developers/topics/rate-limits#header-format
    """
    if answer.headers.get("x-ratelimit-remaining") != "0":
        return 0.0
    try:
        after = float(answer.headers.get("x-ratelimit-reset-after", ""))
    except ValueError:
        return 0.0
    return min(after, LONGEST_REST) if after > 0 else 0.0


def failure(
    what: str, problem: Refused | Lost, credentials: Credentials, *, repeatable: bool = False
) -> PostError:
    """Give the error for a refusal, without any secret that was echoed in it."""
    error = refusal.error(what, problem, repeatable=repeatable)
    error.args = (redact(str(error), credentials.secrets.values()),)
    return error
