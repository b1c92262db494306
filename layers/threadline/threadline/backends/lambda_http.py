"""API Gateway's HTTP events (payload 2.0) to and from values.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from threadline.app.ingest import Answer
from threadline.core.message import Webhook


def webhook(event: Mapping[str, Any]) -> Webhook:
    """Read the request: header names lower case, the body's raw bytes; absent parts are empty.

    Raises ValueError for a body that is not the base64 it claims to be.
    """
    http = (event.get("requestContext") or {}).get("http") or {}
    headers = event.get("headers") or {}
    return Webhook(
        method=str(http.get("method") or "POST").upper(),
        path=str(event.get("rawPath") or http.get("path") or "/"),
        query={str(name): str(value) for name, value in _pairs(event, "queryStringParameters")},
        headers={name.lower(): value for name, value in headers.items()},
        body=_body(event),
    )


def parameter(event: Mapping[str, Any], name: str, default: str = "") -> str:
    """Read a path parameter."""
    return str((event.get("pathParameters") or {}).get(name) or default)


def response(answer: Answer) -> dict[str, Any]:
    """Write an answer."""
    return {
        "statusCode": answer.status,
        "headers": {"content-type": answer.content_type, **answer.headers},
        "body": answer.body.decode("utf-8", "replace"),
        "isBase64Encoded": False,
    }


def _pairs(event: Mapping[str, Any], name: str) -> list[tuple[Any, Any]]:
    return list((event.get(name) or {}).items())


def _body(event: Mapping[str, Any]) -> bytes:
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error as error:
        raise ValueError("body is not base64") from error
