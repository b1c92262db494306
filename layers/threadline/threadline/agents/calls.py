"""Requests with JSON in and out, as every dialect makes them."""

import json
from collections.abc import Mapping
from typing import Literal
from urllib.parse import quote

from threadline.core.http import HttpRequest
from threadline.core.ids import RunId, ThreadId
from threadline.core.json import JsonObject

type Method = Literal["GET", "POST", "PUT", "DELETE"]


def json_call(  # noqa: PLR0913
    method: Method,
    url: str,
    label: str,
    body: JsonObject | None = None,
    *,
    headers: Mapping[str, str],
    repeatable: bool = False,
    timeout: float = 10.0,
) -> HttpRequest:
    """Build a request; without a body nothing is said about its type."""
    typed = {} if body is None else {"content-type": "application/json"}
    return HttpRequest(
        method,
        url,
        label,
        {"accept": "application/json", **typed, **headers},
        b"" if body is None else json.dumps(body).encode(),
        timeout=timeout,
        repeatable=repeatable,
    )


def thread_path(thread: ThreadId) -> str:
    """Give a thread's path; whatever its id holds stays one part of it."""
    return f"/threads/{quote(thread, safe='')}"


def run_path(thread: ThreadId, run: RunId) -> str:
    """Give a run's path below its thread's."""
    return f"{thread_path(thread)}/runs/{quote(run, safe='')}"
