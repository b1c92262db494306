"""Feishu as the contract suite sees it; an app that exists nowhere."""

import html
import json
import re
from dataclasses import replace
from typing import Any, Final

from markdown_it import MarkdownIt

from tests.contract.platforms.enrolment import Failure, Knocking
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import HttpResponse, Lost
from threadline.core.ids import AppName
from threadline.core.posting import Credentials, Destination, Draft
from threadline.platforms.feishu import PLATFORM

TOKEN: Final = "t-a-tenant-token-of-nobody"
KEY: Final = "recorded-encrypt-key"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="ou_b07c1f2a9e8d4c6fb3a5d7e9f1c2b4a6",
    identity_name="Threadline",
    secrets={
        "app_id": "cli_a8d1e7c2b3f4500d",
        "app_secret": "an-app-secret-of-nobody",
        "verification_token": "recorded-verification-token",
        "encrypt_key": KEY,
        "token": TOKEN,
    },
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="",
    chat="oc_5ce6d572455d361153b7cb51da133945",
    anchor="om_5ce6d572455d361153b7cb51da133945",
)


def refused(code: int, said: str, status: int = 400, **headers: str) -> HttpResponse:
    """Give an error answer in the shape of the open API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"code": code, "msg": said, "error": {"log_id": "20260921141320D691D6E05516DE2D"}}
    return HttpResponse(status, named, json.dumps(body).encode())


def sent(message: str = "om_17") -> HttpResponse:
    """Give the answer to a message that was sent."""
    told: dict[str, Any] = {"message_id": message, "chat_id": TO.chat, "msg_type": "interactive"}
    return HttpResponse(200, {}, json.dumps({"code": 0, "msg": "success", "data": told}).encode())


def visible(draft: Draft) -> str:
    """Give what a reader sees of a card's Markdown: no addresses, no markers of markup."""
    shown = re.sub(r"\]\([^)\s]*\)", "]", draft.text)
    shown = re.sub(r"^[ >]*(#+|-|\d+\.) ", "", shown, flags=re.MULTILINE)
    shown = re.sub(r"^\| ---.*$", "", shown, flags=re.MULTILINE)
    shown = re.sub(r"[*`\[\]|~]|<br>", "", shown)
    return html.unescape(shown).replace("\u200b", "")


def closed(draft: Draft) -> bool:
    """Tell whether every fence ends inside the card."""
    lines = draft.text.split("\n")
    fences = (token for token in MarkdownIt().parse(draft.text) if token.type == "fence")
    for fence in fences:
        assert fence.map
        last = lines[fence.map[1] - 1].strip()
        if fence.map[1] - fence.map[0] < 2 or not last.startswith(fence.markup):
            return False
    return True


BOTH: Final = (
    Failure("no token", "post", refused(99991661, "Missing access token"), CredentialsRejected),
    Failure(
        "expired token", "post",
        refused(99991663, "Invalid access token for authorization"), CredentialsRejected,
    ),
    Failure("no scope", "post", refused(99991672, "Access denied"), CredentialsRejected),
    Failure("no bot", "post", refused(230006, "Bot ability is not activated"), CredentialsRejected),
    Failure(
        "too many calls", "post",
        refused(
            99991400, "request trigger frequency limit", 429,
            x_ogw_ratelimit_limit="100", x_ogw_ratelimit_reset="52",
        ),
        RateLimited, after=52.0,
    ),
    Failure(
        "too many calls, older", "post",
        refused(99991400, "request trigger frequency limit", x_ogw_ratelimit_reset="7"),
        RateLimited, after=7.0,
    ),
    Failure(
        "too many in the chat", "post",
        refused(230020, "This operation triggers the frequency limit"), RateLimited, after=1.0,
    ),
    Failure(
        "too many, under success", "post",
        refused(230020, "This operation triggers the frequency limit", 200),
        RateLimited, after=1.0,
    ),
    Failure(
        "too many of the organisation", "post",
        refused(11232, "create message service trigger rate limit"), RateLimited, after=10.0,
    ),
    Failure("no code", "post", HttpResponse(429, {"retry-after": "7"}, b"slow"), RateLimited, 7.0),
    Failure(
        "availability", "post",
        refused(230013, "Bot has NO availability to this user"), ConversationGone,
    ),
    Failure(
        "dissolved", "post",
        refused(232009, "Your request specifies a chat which has already been dissolved"),
        ConversationGone,
    ),
    Failure(
        "sensitive", "post",
        refused(230022, "The content of the message contains sensitive information"), PostRejected,
    ),
    Failure("audit", "post", refused(230028, "The messages do NOT pass the audit"), PostRejected),
    Failure(
        "tables", "post",
        refused(
            230099,
            "Failed to create card content, ext=ErrCode: 11310; "
            "ErrMsg: card table number over limit; ErrorValue: table; ",
        ),
        PostRejected,
    ),
    Failure(
        "too long", "post",
        refused(230025, "The length of the message content reaches its limit"), PostRejected,
    ),
    Failure("wrong request", "post", refused(230001, "invalid request parameter"), PostRejected),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
)  # fmt: skip

FEISHU: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="encrypt_key",
    signature="x-lark-signature",
    signs_body=True,
    signs_always=False,
    own=("message.own", "sealed.own"),
    twins=(),
    visible=visible,
    closed=closed,
    to=TO,
    token=TOKEN,
    posted=(sent(),),
    unchanged=HttpResponse(200, {}, b'{"code": 0, "msg": "success", "data": {}}'),
    renewed=lambda word: {"encrypt_key": word, "encrypt_key.previous": KEY},
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
        Failure("fault", "post", HttpResponse(500, {}, b"Internal Server Error"), PostUnknown),
        Failure("gateway", "post", HttpResponse(502, {}, b"<html>"), PostUnknown),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fault at edit", "edit", HttpResponse(500, {}, b"Internal"), PlatformUnavailable),
        Failure(
            "not in the group", "post",
            refused(230002, "The bot can not be outside the group"), ConversationGone,
        ),
        Failure(
            "still on its way", "post",
            refused(230049, "The message is being sent"), PlatformUnavailable,
        ),
    ),
)  # fmt: skip
