"""Requests to the Slack stub: JSON or form parameters in, JSON out; files both ways."""

import json
from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import parse_qsl

from tests.stubs.serving import Answer
from tests.stubs.slack_rules import refused


class Answers(Protocol):
    """What stands behind the server."""

    def answer(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        """Answer a call."""
        ...

    def download(self, token: str, file: str) -> Answer:
        """Answer a download."""
        ...

    def take_upload(self, file: str, content: bytes) -> Answer:
        """Take the bytes of a file."""
        ...


def respond(stub: Answers, path: str, headers: Mapping[str, str], body: bytes) -> Answer:
    """Answer one request by its path; header names in lower case."""
    token = headers.get("authorization", "").removeprefix("Bearer ")
    match path.strip("/").split("/"):
        case ["api", method]:
            parameters = parameters_of(headers.get("content-type", ""), body)
            if parameters is None:
                return refused("invalid_json")
            return stub.answer(token, method, parameters)
        case ["files", file]:
            return stub.download(token, file)
        case ["upload", file]:
            return stub.take_upload(file, body)
        case _:
            return Answer(404, b"not found")


def parameters_of(kind: str, body: bytes) -> Mapping[str, Any] | None:
    """Read the parameters of a call, None where they cannot be read."""
    if not kind.startswith("application/json"):
        return dict(parse_qsl(body.decode(), keep_blank_values=True))
    try:
        decoded = json.loads(body)
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None
