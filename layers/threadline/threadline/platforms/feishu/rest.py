"""One call of the open API, under a tenant token.

https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, Literal

from threadline.core.errors import CredentialsRejected, PlatformUnavailable, PostError
from threadline.core.http import Flow, HttpRequest, HttpResponse, Joined, Lost, SaveTo, ask
from threadline.core.json import JsonObject
from threadline.core.policy import redact
from threadline.core.posting import Credentials
from threadline.platforms.feishu import refusal
from threadline.platforms.feishu.payload import Fields, text
from threadline.platforms.feishu.refusal import Answer, Refused

FEISHU: Final = "open.feishu.cn"
LARK: Final = "open.larksuite.com"
HOSTS: Final[Mapping[str, str]] = MappingProxyType({"feishu": FEISHU, "lark": LARK})
DOMAIN: Final = "domain"
"""The option of an app that says which of the two it was made on."""

APP_ID: Final = "app_id"
APP_SECRET: Final = "app_secret"  # noqa: S105 - the secret's name
TOKEN: Final = "token"  # noqa: S105 - the secret's name
TOKEN_ENDS: Final = "token_expires_at"  # noqa: S105 - the secret's name
JSON_BODY: Final = "application/json; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked: `path` below `/open-apis/`, `adds` where it makes something new."""

    method: Literal["GET", "POST", "PATCH"]
    path: str
    what: str
    body: bytes | Joined = b""
    content_type: str = JSON_BODY
    adds: bool = False
    timeout: float = 10.0
    save_to: SaveTo | None = None


def of_json(
    method: Literal["GET", "POST", "PATCH"],
    path: str,
    what: str,
    body: JsonObject | None = None,
    *,
    adds: bool = False,
) -> Call:
    """Make a call with a JSON body."""
    encoded = b"" if body is None else json.dumps(body, ensure_ascii=False).encode()
    return Call(method, path, what, encoded, adds=adds)


def perform(call: Call, credentials: Credentials) -> Flow[HttpResponse | Lost]:
    """Do a call under the token there is, or under one made for it."""
    if not credentials.secret(TOKEN):
        credentials = yield from exchange(credentials)
    return (yield from ask(_request(call, credentials)))


def call(wanted: Call, credentials: Credentials) -> Flow[Answer]:
    """Do a call and read its answer."""
    return refusal.read((yield from perform(wanted, credentials)))


def succeeded(answer: Answer, wanted: Call, credentials: Credentials) -> Fields:
    """Give what the API said, or raise what its refusal means, without any secret in it."""
    if isinstance(answer, Refused | Lost):
        raise failure(answer, wanted, credentials)
    return answer


def failure(problem: Refused | Lost, wanted: Call, credentials: Credentials) -> PostError:
    """Give the error for a refusal, without any secret that was echoed in it."""
    error = refusal.error(wanted.what, problem, adds=wanted.adds)
    error.args = (redact(str(error), credentials.secrets.values()),)
    return error


def exchange(credentials: Credentials, now: float = 0.0) -> Flow[Credentials]:
    """Give credentials with a tenant token, good until `token_expires_at`. Raises PostError."""
    app_id, app_secret = credentials.secret(APP_ID), credentials.secret(APP_SECRET)
    if not app_id or not app_secret:
        raise CredentialsRejected("Feishu: app_id or app_secret is not set")
    path = "auth/v3/tenant_access_token/internal"
    wanted = of_json(
        "POST", path, "tenant token", {"app_id": app_id, "app_secret": app_secret}
    )  # fmt: skip
    answer = refusal.read((yield from ask(_request(wanted, credentials, signed=False))))
    said = succeeded(answer, wanted, credentials)
    token, lasts = text(said, "tenant_access_token"), said.get("expire")
    if not token or not isinstance(lasts, int):
        raise PlatformUnavailable("Feishu: a tenant token that cannot be read")
    fresh = {TOKEN: token, TOKEN_ENDS: str(now + lasts)}
    return replace(credentials, secrets={**credentials.secrets, **fresh})


def root(base_url: str, options: Mapping[str, str]) -> str:
    """Give the address that an app's paths stand below, by its domain or as it is configured."""
    host = HOSTS.get(options.get(DOMAIN, ""), FEISHU)
    return base_url.rstrip("/") or f"https://{host}"


def _request(wanted: Call, credentials: Credentials, *, signed: bool = True) -> HttpRequest:
    headers = {"content-type": wanted.content_type}
    if signed:
        headers["authorization"] = f"Bearer {credentials.secret(TOKEN)}"
    return HttpRequest(
        method=wanted.method,
        url=f"{root(credentials.base_url, credentials.options)}/open-apis/{wanted.path}",
        label=f"feishu {wanted.what}",
        headers=headers,
        body=wanted.body,
        timeout=wanted.timeout,
        repeatable=True,
        save_to=wanted.save_to,
    )
