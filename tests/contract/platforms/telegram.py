"""Telegram as the contract suite sees it; a bot that exists nowhere."""

import json
from dataclasses import replace
from typing import Any, Final

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
from threadline.core.posting import Credentials, Destination
from threadline.platforms.telegram import PLATFORM

TOKEN: Final = "7000000001:a-token-of-nobody"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="7000000001",
    identity_name="ThreadlineDemoBot",
    secrets={"bot_token": TOKEN, "webhook_secret": "recorded-webhook-secret"},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="",
    chat="-1001500600700",
    anchor="321",
)


def refused(status: int, description: str, **parameters: int) -> HttpResponse:
    """Give an error answer in the shape of the Bot API."""
    answer: dict[str, Any] = {"ok": False, "error_code": status, "description": description}
    if parameters:
        answer["parameters"] = parameters
    return HttpResponse(status, {"content-type": "application/json"}, json.dumps(answer).encode())


def sent(message: int = 17, chat: int = -1001500600700) -> HttpResponse:
    """Give the answer to a message that was sent."""
    result = {"message_id": message, "chat": {"id": chat, "type": "supergroup"}, "date": 1}
    return HttpResponse(200, {}, json.dumps({"ok": True, "result": result}).encode())


BOTH: Final = (
    Failure("wrong token", "post", refused(401, "Unauthorized"), CredentialsRejected),
    Failure("no token", "post", refused(404, "Not Found"), CredentialsRejected),
    Failure(
        "too many", "post",
        refused(429, "Too Many Requests: retry after 33", retry_after=33), RateLimited, after=33.0,
    ),
    Failure(
        "too many in words", "post",
        HttpResponse(429, {"retry-after": "7"}, b"slow down"), RateLimited, after=7.0,
    ),
    Failure("no such chat", "post", refused(400, "Bad Request: chat not found"), ConversationGone),
    Failure(
        "blocked", "post", refused(403, "Forbidden: bot was blocked by the user"), ConversationGone
    ),
    Failure(
        "kicked", "post",
        refused(403, "Forbidden: bot was kicked from the supergroup chat"), ConversationGone,
    ),
    Failure(
        "muted", "post",
        refused(400, "Bad Request: not enough rights to send text messages to the chat"),
        ConversationGone,
    ),
    Failure("too long", "post", refused(400, "Bad Request: message is too long"), PostRejected),
    Failure("empty", "post", refused(400, "Bad Request: message text is empty"), PostRejected),
    Failure(
        "markup", "post",
        refused(400, "Bad Request: can't parse entities: Unsupported start tag"), PostRejected,
    ),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
)  # fmt: skip

TELEGRAM: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="webhook_secret",
    signature="x-telegram-bot-api-secret-token",
    signs_body=False,
    own=("message.own", "message.via_own"),
    twins=(("message.private", "message.private_same_number"),),
    visible=lambda draft: draft.text,
    closed=lambda draft: all(
        entity["offset"] + entity["length"] <= len(draft.text.encode("utf-16-le")) // 2
        for entity in json.loads(draft.facts.get("entities", "[]"))
    ),
    to=TO,
    token=TOKEN,
    posted=(sent(),),
    unchanged=refused(
        400,
        "Bad Request: message is not modified: specified new message content and reply markup are "
        "exactly the same as a current content and reply markup of the message",
    ),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
        Failure("fault", "post", refused(500, "Internal Server Error"), PostUnknown),
        Failure("gateway", "post", HttpResponse(502, {}, b"<html>"), PostUnknown),
        Failure(
            "no such topic", "post",
            refused(400, "Bad Request: message thread not found"), ConversationGone,
        ),
        Failure(
            "closed topic", "post", refused(400, "Bad Request: TOPIC_CLOSED"), ConversationGone
        ),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fault at edit", "edit", refused(500, "Internal"), PlatformUnavailable),
        Failure(
            "deleted", "edit",
            refused(400, "Bad Request: message to edit not found"), ConversationGone,
        ),
        Failure(
            "too old", "edit",
            refused(400, "Bad Request: message can't be edited"), ConversationGone,
        ),
    ),
)  # fmt: skip
