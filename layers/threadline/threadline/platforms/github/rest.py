"""One call of GitHub's REST API, and what its refusals mean.

https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Final, Literal
from urllib.parse import quote

from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import Flow, HttpRequest, HttpResponse, Lost, ask
from threadline.core.json import Json, JsonObject
from threadline.core.policy import redact, retry_after
from threadline.core.posting import Credentials, Destination

API: Final = "https://api.github.com"
VERSION: Final = "2022-11-28"
UNTOLD_WAIT: Final = 60.0
"""Seconds to wait after a secondary limit that names no time, as GitHub asks."""

_MOVED: Final = frozenset({301, 307, 308})
_LIMITED: Final = ("rate limit", "abuse detection", "submitted too quickly")
_NOT_PERMITTED: Final = ("resource not accessible", "must have", "suspended", "saml", "token")


def address(credentials: Credentials) -> str:
    """Give the API's address: GitHub's own, or a GitHub Enterprise Server's as configured."""
    return (credentials.base_url or API).rstrip("/")


def of_repository(to: Destination) -> str:
    """Give the path under which a repository's resources stand."""
    return f"/repos/{quote(to.chat, safe='/')}"


def call(
    method: Literal["GET", "POST", "PATCH"],
    path: str,
    credentials: Credentials,
    body: JsonObject | None = None,
    *,
    repeatable: bool = False,
    token: str = "",
) -> Flow[HttpResponse | Lost]:
    """Ask once, and once more where a renamed repository has moved within the same API."""
    token = token or credentials.secret("token")
    if not token:
        raise CredentialsRejected("GitHub: neither a token nor an App's key is set")
    here = address(credentials)
    request = HttpRequest(
        method,
        here + path,
        label=f"github {method} {path.partition('?')[0]}",
        headers=_headers(token),
        body=b"" if body is None else json.dumps(body).encode(),
        repeatable=repeatable,
    )
    answer = yield from ask(request)
    if isinstance(answer, HttpResponse) and answer.status in _MOVED:
        moved = answer.headers.get("location", "")
        if moved.startswith(f"{here}/"):
            answer = yield from ask(replace(request, url=moved))
    return answer


def anonymous(path: str, credentials: Credentials) -> Flow[HttpResponse | Lost]:
    """Post what needs no account: the path itself is the proof."""
    address_of = address(credentials) + path
    asked = HttpRequest("POST", address_of, label="github without an account", headers=_headers(""))
    return (yield from ask(asked))


def succeeded(
    answer: HttpResponse | Lost, credentials: Credentials, *, adds: bool = False
) -> HttpResponse:
    """Give a 2xx answer or raise a PostError, in GitHub's own words but without secrets.

    `adds`: the request makes something new, so that without a clear answer it may stand.
    """
    if isinstance(answer, Lost):
        if answer.sent and adds:
            raise PostUnknown(f"GitHub: {answer.why} after the request was sent")
        raise PlatformUnavailable(f"GitHub: {answer.why}")
    if 200 <= answer.status < 300:
        return answer
    said = redact(str(field(read(answer), "message") or ""), credentials.secrets.values())[:200]
    raise _refusal(answer, said, adds=adds)


def read(answer: HttpResponse) -> Json:
    """Decode an answer, None where it is no JSON."""
    try:
        decoded: Json = json.loads(answer.body)
    except (ValueError, RecursionError):
        return None
    return decoded


def field(value: Json, name: str) -> Json:
    """Give one member of a decoded object, None where there is no such thing."""
    return value.get(name) if isinstance(value, Mapping) else None


def _headers(token: str) -> dict[str, str]:
    return {
        **({"authorization": f"Bearer {token}"} if token else {}),
        "accept": "application/vnd.github+json",
        "content-type": "application/json",
        "user-agent": "threadline",
        "x-github-api-version": VERSION,
    }


def _refusal(answer: HttpResponse, said: str, *, adds: bool) -> PostError:
    told = f"GitHub {answer.status}: {said}"
    if _is_limit(answer, said):
        return RateLimited(told, _wait(answer))
    match answer.status:
        case 401:
            return CredentialsRejected(told)
        case 403:
            denied = any(word in said.lower() for word in _NOT_PERMITTED)
            return CredentialsRejected(told) if denied else PostRejected(told)
        case 404 | 410:
            return ConversationGone(told)
        case 503:
            return PlatformUnavailable(told)
        case status if status >= 500:
            return PostUnknown(told) if adds else PlatformUnavailable(told)
        case _:
            return PostRejected(told)


def _is_limit(answer: HttpResponse, said: str) -> bool:
    if answer.status == 429:
        return True
    if answer.status not in {403, 422}:
        return False
    headers = answer.headers
    spent = headers.get("x-ratelimit-remaining") == "0" and answer.status == 403
    return spent or "retry-after" in headers or any(word in said.lower() for word in _LIMITED)


def _wait(answer: HttpResponse) -> float:
    """Give the seconds GitHub asks for: told outright, until its limit resets, or a minute."""
    headers = answer.headers
    if "retry-after" in headers:
        return retry_after(answer, UNTOLD_WAIT)
    if headers.get("x-ratelimit-remaining") == "0":
        try:
            asked_at = parsedate_to_datetime(headers.get("date", "")).timestamp()
            return max(float(headers.get("x-ratelimit-reset", "")) - asked_at, 1.0)
        except ValueError:
            return UNTOLD_WAIT
    return UNTOLD_WAIT
