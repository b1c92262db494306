"""HTTP in front of the Telegram stub: JSON, form and multipart parameters in, JSON out."""

import json
import re
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, ClassVar, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

from tests.stubs.telegram_rules import Answer, refused

AS_JSON = {"entities", "reply_parameters", "reaction", "allowed_updates", "link_preview_options"}


class Answers(Protocol):
    """What stands behind the server."""

    def answer(self, token: str, method: str, parameters: Mapping[str, Any]) -> Answer:
        """Answer a call."""
        ...

    def download(self, token: str, path: str) -> Answer:
        """Answer a download."""
        ...


class Handler(BaseHTTPRequestHandler):
    """One connection, kept open between calls."""

    stub: ClassVar[Answers]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        """Take a call of the Bot API."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self._respond(self._route(body))

    def do_GET(self) -> None:
        """Take a download, or a call without a body."""
        self._respond(self._route(b""))

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its base's own name
        """Say nothing: the token is in the path."""

    def _route(self, body: bytes) -> Answer:
        parts = urlsplit(self.path)
        steps = unquote(parts.path).strip("/").split("/", 2)
        if steps[0] == "file" and len(steps) == 3:
            return self.stub.download(steps[1].removeprefix("bot"), steps[2])
        if len(steps) != 2 or not steps[0].startswith("bot"):
            return refused(404, "Not Found")
        kind = self.headers.get("content-type", "")
        try:
            parameters = {**_form(parts.query.encode()), **parameters_of(kind, body)}
        except (ValueError, KeyError):
            return refused(400, "Bad Request: can't parse the request")
        return self.stub.answer(steps[0].removeprefix("bot"), steps[1], parameters)

    def _respond(self, answer: Answer) -> None:
        if answer.body is None:
            self.close_connection = True
            return
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response_only(answer.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if answer.status == 429 and isinstance(answer.body, Mapping):
            wait = answer.body.get("parameters", {}).get("retry_after", 1)
            self.send_header("retry-after", str(wait))
        self.end_headers()
        self.wfile.write(body)


def parameters_of(kind: str, body: bytes) -> dict[str, Any]:
    """Read the parameters of a call in any of the three ways. Raises ValueError, KeyError."""
    if kind.startswith("application/json"):
        decoded = json.loads(body.decode())
        if not isinstance(decoded, dict):
            raise ValueError("an object is expected")
        return decoded
    if kind.startswith("multipart/form-data"):
        return _multipart(kind, body)
    return _form(body)


def _form(body: bytes) -> dict[str, Any]:
    fields = parse_qs(body.decode(), keep_blank_values=True, strict_parsing=bool(body))
    return {name: _value(name, values[-1]) for name, values in fields.items()}


def _multipart(kind: str, body: bytes) -> dict[str, Any]:
    boundary = kind.partition("boundary=")[2].strip('"').encode()
    first, *parts, last = body.split(b"--" + boundary)
    if not boundary or first or last.strip() != b"--":
        raise ValueError("no form")
    found: dict[str, Any] = {}
    for part in parts:
        head, _, content = part.removeprefix(b"\r\n").removesuffix(b"\r\n").partition(b"\r\n\r\n")
        names = dict(re.findall(r'\b(name|filename)="([^"]*)"', head.decode()))
        name = names["name"]
        found[name] = content if "filename" in names else _value(name, content.decode())
        if "filename" in names:
            found["file_name"] = names["filename"]
    return found


def _value(name: str, text: str) -> Any:
    return json.loads(text) if name in AS_JSON else text
