"""A request as API Gateway's HTTP API hands it to Lambda, and Lambda's answer as a response.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

DEFAULT_ROUTE: Final = "$default"
_TEXT: Final = re.compile(r"text/.+|application/(json|javascript|xml|.+\+json|.+\+xml)")
_OF_THE_CONNECTION: Final = frozenset(
    {"connection", "content-length", "keep-alive", "server", "date", "transfer-encoding", "upgrade"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpCall:
    """One request as it came: `target` is the path and query as sent, `at` epoch seconds."""

    method: str
    target: str
    headers: Sequence[tuple[str, str]] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    peer: str = "127.0.0.1"
    at: float = 0.0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Route:
    """A method and a path pattern such as `/webhooks/{platform}`."""

    method: str
    pattern: str

    @property
    def key(self) -> str:
        """The name API Gateway gives the route."""
        return f"{self.method} {self.pattern}"

    def match(self, method: str, path: str) -> dict[str, str] | None:
        """Give the values of the pattern's parameters, or None where the request is another's."""
        if method != self.method:
            return None
        wanted, given = self.pattern.split("/"), path.split("/")
        if len(wanted) != len(given):
            return None
        values = {}
        for want, have in zip(wanted, given, strict=True):
            if want.startswith("{") and have:
                values[want[1:-1]] = have
            elif want != have:
                return None
        return values


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What goes back to the caller."""

    status: int
    headers: Sequence[tuple[str, str]] = ()
    body: bytes = field(default=b"", repr=False)


def http_event(
    call: HttpCall, route: Route | None, parameters: Mapping[str, str]
) -> dict[str, Any]:
    """Build the event of payload format 2.0.

    The path comes decoded and the query as it was sent, as HTTP APIs do it; cookies leave the
    headers; fields without content are absent.
    """
    path, _, query = call.target.partition("?")
    headers = _joined(
        (name.lower(), value) for name, value in call.headers if name.lower() != "cookie"
    )
    key = route.key if route else DEFAULT_ROUTE
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": key,
        "rawPath": unquote(path),
        "rawQueryString": query,
        "headers": headers,
        "requestContext": _context(call, unquote(path), headers, key),
        "isBase64Encoded": False,
    }
    if cookies := _cookies(call.headers):
        event["cookies"] = cookies
    if query:
        event["queryStringParameters"] = _joined(parse_qsl(query, keep_blank_values=True))
    if parameters:
        event["pathParameters"] = dict(parameters)
    if call.body:
        event["body"], event["isBase64Encoded"] = body_of(call.body, headers)
    return event


def http_answer(answer: object) -> HttpAnswer:
    """Read what the function returned; anything API Gateway could not use is its 500."""
    if not isinstance(answer, Mapping):
        return gateway_answer(500, "Internal Server Error")
    status, headers = answer.get("statusCode"), answer.get("headers") or {}
    body, cookies = answer.get("body") or "", answer.get("cookies") or ()
    if not isinstance(status, int) or not isinstance(headers, Mapping) or not isinstance(body, str):
        return gateway_answer(500, "Internal Server Error")
    try:
        coded = bool(answer.get("isBase64Encoded"))
        raw = base64.b64decode(body, validate=True) if coded else body.encode()
    except (binascii.Error, ValueError):
        return gateway_answer(500, "Internal Server Error")
    pairs = [(str(name).lower(), str(value)) for name, value in headers.items()]
    pairs = [pair for pair in pairs if pair[0] not in _OF_THE_CONNECTION]
    return HttpAnswer(status, (*pairs, *(("set-cookie", str(cookie)) for cookie in cookies)), raw)


def gateway_answer(status: int, message: str) -> HttpAnswer:
    """Give an answer of the gateway itself, such as 404 `Not Found`."""
    body = f'{{"message":"{message}"}}'.encode()
    return HttpAnswer(status, (("content-type", "application/json"),), body)


def body_of(body: bytes, headers: Mapping[str, str]) -> tuple[str, bool]:
    """Give text as text, all else as base64, and whether it is base64.

    Text that is no UTF-8 is, too, so that no byte is lost.
    """
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if _TEXT.fullmatch(kind) and "content-encoding" not in headers:
        try:
            return body.decode(), False
        except UnicodeDecodeError:
            pass
    return base64.b64encode(body).decode(), True


def moment(at: float) -> dict[str, Any]:
    """Give the fields of the request's context that tell when it came, from epoch seconds."""
    return {
        "time": datetime.fromtimestamp(at, UTC).strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "timeEpoch": int(at * 1000),
    }


def _joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, value in pairs:
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


def _cookies(headers: Sequence[tuple[str, str]]) -> list[str]:
    lines = [value for name, value in headers if name.lower() == "cookie"]
    return [cookie.strip() for line in lines for cookie in line.split(";") if cookie.strip()]


def _context(call: HttpCall, path: str, headers: Mapping[str, str], key: str) -> dict[str, Any]:
    domain = headers.get("host", "localhost")
    return {
        "accountId": "anonymous",
        "apiId": "local",
        "domainName": domain,
        "domainPrefix": domain.partition(".")[0],
        "http": {
            "method": call.method,
            "path": path,
            "protocol": "HTTP/1.1",
            "sourceIp": call.peer,
            "userAgent": headers.get("user-agent", ""),
        },
        "requestId": call.id,
        "routeKey": key,
        "stage": "$default",
        **moment(call.at),
    }
