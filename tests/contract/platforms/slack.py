"""Slack as the contract suite sees it; an app that exists nowhere."""

import json
import re
from dataclasses import replace
from typing import Any, Final

from tests.contract.platforms.enrolment import Failure, Knocking
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import HttpResponse, Lost
from threadline.core.ids import AppName
from threadline.core.posting import Credentials, Destination, Draft
from threadline.platforms.slack import PLATFORM

TOKEN: Final = "xoxb-0000000000-of-nobody"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="U0BOT0001",
    identity_name="threadline",
    secrets={"bot_token": TOKEN, "signing_secret": "recorded-signing-secret"},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="T0ACME001",
    chat="C0GENERAL1",
    anchor="1789999998.000300",
    facts={"thread": "1789999998.000300"},
)
MEANT: Final = {
    "ratelimited": RateLimited,
    "invalid_auth": CredentialsRejected,
    "account_inactive": CredentialsRejected,
    "token_revoked": CredentialsRejected,
    "missing_scope": CredentialsRejected,
    "channel_not_found": ConversationGone,
    "not_in_channel": ConversationGone,
    "is_archived": ConversationGone,
    "restricted_action_thread_locked": ConversationGone,
    "msg_too_long": PostRejected,
    "no_text": PostRejected,
    "invalid_blocks": PostRejected,
    "request_timeout": PlatformUnavailable,
    "team_added_to_org": PlatformUnavailable,
}
"""What a refusal means, whether it was a post or an edit."""


def refused(word: str, status: int = 200, after: int | None = None, **more: Any) -> HttpResponse:
    """Give a refusal in the shape of the Web API."""
    headers = {"content-type": "application/json; charset=utf-8"}
    if after is not None:
        headers["retry-after"] = str(after)
    return HttpResponse(status, headers, json.dumps({"ok": False, "error": word, **more}).encode())


def posted(ts: str = "1790000001.000200") -> HttpResponse:
    """Give the answer to a post or an edit."""
    message = {"type": "message", "user": "U0BOT0001", "bot_id": "B0BOT0001", "ts": ts}
    body = {"ok": True, "channel": "C0GENERAL1", "ts": ts, "message": message}
    return HttpResponse(200, {}, json.dumps(body).encode())


def visible(draft: Draft) -> str:
    """Give what people see of a post: labels of links, escapes undone."""
    text = re.sub(r"<[^<>|]*\|([^<>]*)>", r"\1", draft.text).replace("\u200b", "")
    text = re.sub(r"<([^<>]*)>", r"\1", text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def failure(word: str, means: type[PostError]) -> Failure:
    """Make the failure of a post that Slack refuses with a word."""
    limited = means is RateLimited
    answer = refused(word, 429, 33) if limited else refused(word)
    return Failure(word, "post", answer, means, after=33.0 if limited else 0.0)


BOTH: Final = (
    *(failure(word, means) for word, means in MEANT.items()),
    Failure(
        "a limit without status", "post", refused("rate_limited", after=7), RateLimited, after=7.0
    ),
    Failure("an untold limit", "post", refused("rate_limited"), RateLimited, after=30.0),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
    Failure("forbidden", "post", HttpResponse(403, {}, b"<html>"), CredentialsRejected),
)

SLACK: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="signing_secret",
    signature="x-slack-signature",
    signs_body=True,
    own=(
        "message.own",
        "message.own_changed",
        "message.own_without_bot_id",
        "message.own_by_app_id",
    ),
    twins=(("message.channel_mention", "message.same_ts_elsewhere"),),
    visible=visible,
    closed=lambda draft: draft.text.count("```") % 2 == 0,
    to=TO,
    token=TOKEN,
    posted=(posted(),),
    unchanged=posted("1790000000.000017"),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
        Failure("fatal", "post", refused("fatal_error"), PostUnknown),
        Failure("internal", "post", refused("internal_error", 500), PostUnknown),
        Failure("gateway", "post", HttpResponse(502, {}, b"<html>"), PostUnknown),
        Failure("deleted repeat", "post", refused("duplicate_message_not_found"), ConversationGone),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fatal at edit", "edit", refused("fatal_error"), PlatformUnavailable),
        Failure("gateway at edit", "edit", HttpResponse(502, {}, b"<html>"), PlatformUnavailable),
        Failure("deleted", "edit", refused("message_not_found"), ConversationGone),
        Failure("not ours", "edit", refused("cant_update_message"), ConversationGone),
        Failure("too old", "edit", refused("edit_window_closed"), ConversationGone),
    ),
)
