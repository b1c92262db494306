"""Discord as the contract suite sees it; a bot that exists nowhere, with a key of our own."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from markdown_it import MarkdownIt

from tests.contract.platforms.enrolment import Failure, Held, Knocking
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
from threadline.platforms.discord import PLATFORM

TOKEN: Final = "MTE4MDAwMDAwMDAwMDAwMDEwMQ.GaBcDe.a-token-of-nobody-at-all"
SEED: Final = bytes(range(32)).hex()
PUBLIC: Final = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="1180000000000000101",
    identity_name="ThreadlineDemo",
    secrets={"bot_token": TOKEN, "public_key": PUBLIC, "signing_key": SEED},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="1170000000000000001",
    chat="1170000000000000010",
    anchor="1550952349696000001",
)


def renewed(word: str) -> Mapping[str, str]:
    """Give the secrets of another pair of keys: only its private half can sign."""
    seed = hashlib.sha256(word.encode()).digest()
    public = Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return {"public_key": public.hex(), "signing_key": seed.hex()}


def closed(draft: Draft) -> bool:
    """Tell whether every code block of a message's own level ends inside the message."""
    lines = draft.text.split("\n")
    fences = (t for t in MarkdownIt().parse(draft.text) if t.type == "fence" and t.level == 0)
    return all(
        fence.map is not None
        and fence.map[1] - fence.map[0] >= 2
        and lines[fence.map[1] - 1].strip().startswith(fence.markup)
        for fence in fences
    )


def refused(status: int, code: int = 0, message: str = "", **more: Any) -> HttpResponse:
    """Give an error answer in the shape of Discord's API."""
    body = json.dumps({"message": message, "code": code, **more}).encode()
    return HttpResponse(status, {"content-type": "application/json"}, body)


def message(identity: str = "17") -> HttpResponse:
    """Give the answer to a message that was posted or edited."""
    body = {"id": identity, "channel_id": TO.chat, "type": 0, "content": "The **answer**."}
    return HttpResponse(200, {"content-type": "application/json"}, json.dumps(body).encode())


BOTH: Final = (
    Failure("wrong token", "post", refused(401, 0, "401: Unauthorized"), CredentialsRejected),
    Failure("invalid token", "post", refused(403, 50014, "Invalid token"), CredentialsRejected),
    Failure(
        "limited", "post",
        refused(429, 0, "You are being rate limited.", retry_after=64.57, **{"global": False}),
        RateLimited, after=64.57,
    ),
    Failure(
        "limited everywhere", "post",
        replace(
            refused(429, 0, "You are being rate limited.", retry_after=7.5, **{"global": True}),
            headers={"x-ratelimit-global": "true", "x-ratelimit-scope": "global"},
        ),
        RateLimited, after=7.5,
    ),
    Failure(
        "limited before the API", "post",
        HttpResponse(429, {"retry-after": "33"}, b"error code: 1015"), RateLimited, after=33.0,
    ),
    Failure(
        "slow mode", "post",
        refused(403, 20016, "This action cannot be performed due to slowmode rate limit"),
        RateLimited, after=5.0,
    ),
    Failure("no such channel", "post", refused(404, 10003, "Unknown Channel"), ConversationGone),
    Failure("no such server", "post", refused(404, 10004, "Unknown Guild"), ConversationGone),
    Failure("not let in", "post", refused(403, 50001, "Missing Access"), ConversationGone),
    Failure("muted", "post", refused(403, 50013, "Missing Permissions"), ConversationGone),
    Failure(
        "blocked", "post",
        refused(403, 50007, "Cannot send messages to this user"), ConversationGone,
    ),
    Failure("archived", "post", refused(400, 50083, "Thread is archived"), ConversationGone),
    Failure("locked", "post", refused(403, 160005, "Thread is locked"), ConversationGone),
    Failure(
        "invalid form", "post",
        refused(
            400, 50035, "Invalid Form Body",
            errors={"content": {"_errors": [{
                "code": "BASE_TYPE_MAX_LENGTH",
                "message": "Must be 2000 or fewer in length.",
            }]}},
        ),
        PostRejected,
    ),
    Failure("empty", "post", refused(400, 50006, "Cannot send an empty message"), PostRejected),
    Failure(
        "too large", "post", refused(413, 40005, "Request entity too large"), PostRejected
    ),
    Failure("overloaded", "post", refused(503, 130000, "Overloaded"), PlatformUnavailable),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
)  # fmt: skip

DISCORD: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="public_key",
    signature="x-signature-ed25519",
    signs_body=True,
    renewed=renewed,
    own=("message.own", "message.own_follow_up"),
    held=Held(secret="bot_token", shown=True, own=("message.own",)),
    twins=(),
    visible=lambda draft: draft.text,
    closed=closed,
    to=TO,
    token=TOKEN,
    posted=(message(),),
    unchanged=message(),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
        Failure("fault", "post", refused(500, 0, "500: Internal Server Error"), PostUnknown),
        Failure("gateway", "post", HttpResponse(502, {}, b"<html>"), PostUnknown),
        Failure(
            "no history", "post",
            refused(400, 160002, "Cannot reply without permission to read message history"),
            ConversationGone,
        ),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fault at edit", "edit", refused(500, 0, "500"), PlatformUnavailable),
        Failure("deleted", "edit", refused(404, 10008, "Unknown Message"), ConversationGone),
        Failure(
            "of another", "edit",
            refused(403, 50005, "Cannot edit a message authored by another user"),
            ConversationGone,
        ),
        Failure(
            "edited too often", "edit",
            refused(
                429, 30046,
                "Maximum number of edits to messages older than 1 hour reached",
                retry_after=41.2,
            ),
            RateLimited, after=41.2,
        ),
    ),
)  # fmt: skip
