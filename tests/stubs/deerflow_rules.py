"""What a Gateway refuses before it looks at threads: callers, routes, fields of a run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any, Final

TOKEN: Final = "internal-token-of-the-gateway"
PERSONAL: Final = "dfp_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"
PERSONAL_OWNER: Final = "0b9f6a52-6a53-4f39-9e0b-1f5d3f6f0a01"
SAFE: Final = re.compile(r"[A-Za-z0-9_-]+")
THREAD: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
CHANGING: Final = frozenset({"POST", "PUT", "PATCH", "DELETE"})
PUBLIC: Final = frozenset({"/health", "/api/v1/auth/setup-status"})
MODELS: Final = ("fake-echo", "fake-think")

_ONE = r"[^/]+"
_RUN = rf"/api/threads/{_ONE}/runs/{_ONE}"
OPEN_TO_PERSONAL: Final = (
    ("POST", r"/api/threads(/search)?"),
    ("GET|PATCH|DELETE", rf"/api/threads/{_ONE}"),
    ("GET|PUT|DELETE", rf"/api/threads/{_ONE}/goal"),
    ("GET|POST", rf"/api/threads/{_ONE}/(state|runs)"),
    ("POST", rf"/api/threads/{_ONE}/history"),
    ("GET", _RUN),
    ("POST", rf"{_RUN}/cancel"),
    ("GET", rf"{_RUN}/(join|messages|events|workspace-changes|stream)"),
)
"""Newer servers: what a personal access token reaches. Anything else is 403, whatever its scopes.

https://github.com/bytedance/deer-flow/blob/main/backend/app/gateway/auth/pat.py
"""

BODY: Final = frozenset(
    {
        "after_seconds", "assistant_id", "checkpoint", "checkpoint_id", "command", "config",
        "context", "feedback_keys", "if_not_exists", "input", "interrupt_after", "interrupt_before",
        "metadata", "multitask_strategy", "on_completion", "on_disconnect", "stream_mode",
        "stream_resumable", "stream_subgraphs", "webhook",
    }
)  # fmt: skip
NEVER: Final = ("webhook", "after_seconds", "on_completion", "feedback_keys", "stream_resumable")
MODES: Final = frozenset(
    {"values", "messages-tuple", "custom", "updates", "debug", "tasks", "checkpoints"}
)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: `body` is JSON unless it is bytes or, as of a crash, a plain `text`."""

    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None


class Refused(Exception):
    """An answer that is no success; `detail` has one of three shapes."""

    def __init__(self, status: int, detail: Any, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(str(detail))
        self.answer = Answer(status, {"detail": detail}, headers or {})


class Crashed(Exception):
    """The server met what it did not expect: 500, and no JSON."""


def caller(method: str, path: str, headers: Mapping[str, str], *, newer: bool) -> str:
    """Name the owner that a request acts for. CSRF is looked at before anything else."""
    bearer = headers.get("authorization", "")
    if method in CHANGING and not (newer and bearer):
        _check_pair(headers)
    if headers.get("x-deerflow-internal-token") == TOKEN:
        return headers.get("x-deerflow-owner-user-id", "") or "default"
    if newer and bearer:
        if bearer != f"Bearer {PERSONAL}":
            raise Refused(401, "Invalid token")
        if not any(
            re.fullmatch(ways, method) and re.fullmatch(pattern, path)
            for ways, pattern in OPEN_TO_PERSONAL
        ):
            raise Refused(403, "Personal access tokens cannot call this route")
        return PERSONAL_OWNER
    wanted = {"code": "not_authenticated", "message": "Authentication required"}
    raise Refused(401, wanted)


def _check_pair(headers: Mapping[str, str]) -> None:
    sent = headers.get("x-csrf-token", "")
    cookie = SimpleCookie(headers.get("cookie", "")).get("csrf_token")
    if not sent or cookie is None or not cookie.value:
        raise Refused(403, "CSRF token missing. Include X-CSRF-Token header.")
    if cookie.value != sent:
        raise Refused(403, "CSRF token mismatch.")


def check_thread_id(thread: str) -> None:
    """Refuse a thread id of other characters or length."""
    if not THREAD.fullmatch(thread):
        raise _fault("string_pattern_mismatch", ["body", "thread_id"], thread)


def check_run(sent: Mapping[str, Any], *, newer: bool) -> None:
    """Refuse what no run can be made of."""
    for option in NEVER:
        if sent.get(option) not in {None, False}:
            raise _unsupported(option, sent[option])
    if sent.get("if_not_exists", "create") != "create":
        raise _unsupported("if_not_exists", sent["if_not_exists"])
    if sent.get("multitask_strategy", "reject") not in {"reject", "rollback", "interrupt"}:
        raise _unsupported("multitask_strategy", sent["multitask_strategy"])
    for name in sent:
        if name not in BODY:
            raise _fault("extra_forbidden", ["body", name], sent[name])
    modes = sent.get("stream_mode") or ["values"]
    if odd := [one for one in ([modes] if isinstance(modes, str) else modes) if one not in MODES]:
        raise _fault("unsupported_stream_mode", ["body", "stream_mode"], odd)
    _check_values(sent, newer=newer)


def _check_values(sent: Mapping[str, Any], *, newer: bool) -> None:
    free = (sent.get("config") or {}).get("configurable", {})
    if not isinstance(free, dict) or not SAFE.fullmatch(sent.get("assistant_id") or "lead_agent"):
        if newer:
            raise _fault("value_error", ["body"], None)
        raise Crashed
    model = (sent.get("context") or {}).get("model_name")
    if model is not None and model not in MODELS:
        raise Refused(400, f"Model {model!r} is not in the configured model allowlist")
    for number, message in enumerate((sent.get("input") or {}).get("messages") or []):
        if not isinstance(message, dict) or "content" not in message:
            raise Refused(400, f"Invalid message at input.messages[{number}]")


def _unsupported(option: str, value: Any) -> Refused:
    return Refused(
        422,
        [
            {
                "type": "unsupported_run_option",
                "loc": ["body", option],
                "msg": f"Run option '{option}' is not supported by DeerFlow",
                "input": value,
                "ctx": {"option": option},
            }
        ],
    )


def _fault(kind: str, place: list[str], value: Any) -> Refused:
    return Refused(422, [{"type": kind, "loc": place, "msg": "refused", "input": value}])
