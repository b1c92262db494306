"""Requests to the Feishu stub: JSON or a form with a file in, JSON or a file out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from tests.stubs.feishu_rules import refused
from tests.stubs.serving import Answer


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the open API sees it; `what` is method and path, ids left out."""

    what: str
    ids: tuple[str, ...] = ()
    token: str = ""
    query: Mapping[str, str] = field(default_factory=dict)
    body: Mapping[str, Any] = field(default_factory=dict)
    size: int = 0


class Answers(Protocol):
    """What stands behind the server."""

    def answer(self, asked: Asked) -> Answer:
        """Answer a call."""
        ...


def respond(
    stub: Answers, method: str, target: str, headers: Mapping[str, str], body: bytes
) -> Answer:
    """Answer one request; header names in lower case, `target` a path or an address."""
    parts = urlsplit(target)
    known = ("/open-apis/", "/callback/")
    path = next((parts.path.removeprefix(one) for one in known if parts.path.startswith(one)), "")
    kind = headers.get("content-type", "")
    fields = form_of(kind, body) if kind.startswith("multipart/") else json_of(kind, body)
    if not path:
        return Answer(404, b"404 page not found")
    if fields is None:
        return refused(230001, "request body is not valid JSON")
    token = headers.get("authorization", "").removeprefix("Bearer ")
    words, ids = _named(path.split("/"))
    query = dict(parse_qsl(parts.query))
    return stub.answer(Asked(f"{method} {words}", ids, token, query, fields, len(body)))


def json_of(kind: str, body: bytes) -> Mapping[str, Any] | None:
    """Read a JSON body; an empty one is one without fields."""
    if not body:
        return {}
    try:
        decoded = json.loads(body) if kind.startswith("application/json") else None
    except ValueError:
        return None
    return decoded if isinstance(decoded, dict) else None


def form_of(kind: str, body: bytes) -> Mapping[str, Any]:
    """Read a form: texts, and files as name and bytes."""
    form = message_from_bytes(f"content-type: {kind}\r\n\r\n".encode() + body)
    fields: dict[str, Any] = {}
    for part in form.get_payload():
        assert isinstance(part, Message)
        name = part.get_param("name", header="content-disposition")
        content, file = part.get_payload(decode=True), part.get_filename()
        assert isinstance(content, bytes)
        fields[str(name)] = content.decode() if file is None else (file, content)
    return fields


def _named(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """Put a star where a message's or a file's id stands."""
    if words[:2] != ["im", "v1"]:
        return "/".join(words), ()
    ids = words[3::2]
    starred = [word if at < 3 or at % 2 == 0 else "*" for at, word in enumerate(words)]
    return "/".join(starred), tuple(ids)
