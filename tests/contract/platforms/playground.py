"""The playground as the contract suite sees it: a page that nobody serves."""

import json
from dataclasses import replace
from typing import Final

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
from threadline.platforms.playground import PLATFORM

TOKEN: Final = "a-token-of-nobodys-page"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    secrets={"api_token": TOKEN, "webhook_secret": "recorded-webhook-secret"},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="",
    chat="c1f0a9d2",
    anchor="41",
    private=True,
)


def refused(status: int, words: str, **headers: str) -> HttpResponse:
    """Give an error answer in the shape of the playground's API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status, named, json.dumps({"error": words}).encode())


def stands(message: int = 17) -> HttpResponse:
    """Give the answer to a message that was posted or edited."""
    return HttpResponse(200, {}, json.dumps({"id": str(message)}).encode())


def closed(draft: Draft) -> bool:
    """Tell whether every fence that opens a code block at the outer level is closed again."""
    lines = draft.text.split("\n")
    tokens = MarkdownIt("commonmark").parse(draft.text)
    blocks = [token for token in tokens if token.type == "fence" and token.level == 0]
    return all(
        token.map is not None
        and token.map[1] - token.map[0] >= 2
        and lines[token.map[1] - 1].strip().startswith(token.markup)
        for token in blocks
    )


BOTH: Final = (
    Failure("wrong token", "post", refused(401, "token"), CredentialsRejected),
    Failure("no such chat or post", "post", refused(404, "gone"), ConversationGone),
    Failure("too long", "post", refused(422, "text"), PostRejected),
    Failure("from elsewhere", "post", refused(403, "host"), PostRejected),
    Failure("too large", "post", refused(413, "too large"), PostRejected),
    Failure("too many", "post", refused(429, "slow", retry_after="3"), RateLimited, after=3.0),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
)

PLAYGROUND: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="webhook_secret",
    signature="x-playground-signature",
    signs_body=True,
    own=("message.own",),
    twins=(),
    visible=lambda draft: draft.text,
    closed=closed,
    to=TO,
    token=TOKEN,
    posted=(stands(),),
    unchanged=stands(),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("fault", "post", refused(500, "fault"), PostUnknown),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fault at edit", "edit", refused(503, "fault"), PlatformUnavailable),
    ),
)
