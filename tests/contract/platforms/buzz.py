"""Buzz as the contract suite sees it; keys that everybody knows, on a relay that is nowhere."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from markdown_it import MarkdownIt

from tests.contract.platforms.enrolment import Enrolment, Failure, Held
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import HttpRequest, HttpResponse, Lost
from threadline.core.ids import AppName
from threadline.core.posting import Credentials, Destination, Draft
from threadline.platforms.buzz import PLATFORM

SECRET: Final = f"{3:064x}"
NOW: Final = "1790000000.0"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
    base_url="wss://buzz.example.com",
    secrets={"private_key": SECRET},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="buzz.example.com",
    chat="9c1f0a52-6f3e-4f0e-9a64-2f1f6b0c7d11",
    anchor="a1" * 32,
    facts={"author": "5cbdf0646e5db4eaa398f365f2ea7a0e3d419b7e0330e39ce92bddedcac4f9bc"},
)


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


def says(taken: bool, reason: str = "") -> Callable[[HttpRequest], HttpResponse]:
    """Answer what was handed in by its name, as a relay does; a challenge where that is asked for.

    https://github.com/nostr-protocol/nips/blob/master/01.md
    """

    def answer(request: HttpRequest) -> HttpResponse:
        assert isinstance(request.body, bytes)
        words: list[str | bool] = ["AUTH", "c1"]
        if request.body:
            words = ["OK", json.loads(request.body)[1]["id"], taken, reason]
        return HttpResponse(200, {"received-at": NOW}, json.dumps(words).encode())

    return answer


def notice(text: str) -> HttpResponse:
    """Answer without naming an event."""
    return HttpResponse(200, {"received-at": NOW}, json.dumps(["NOTICE", text]).encode())


FOR_EVER: Final = "invalid: event timestamp too far from server time"
BOTH: Final = (
    Failure("never let in", "post", says(False, "auth-required: no"), CredentialsRejected),
    Failure(
        "banned", "post", says(False, "blocked: you are banned from this community"),
        CredentialsRejected,
    ),
    Failure(
        "too many", "post",
        says(False, "rate-limited: quota exceeded; retry in 9s"), RateLimited, after=9.0,
    ),
    Failure(
        "too many without a name", "post",
        notice("rate-limited: quota exceeded; retry in 9s"), RateLimited, after=9.0,
    ),
    Failure(
        "slower", "post", says(False, "rate-limited: slow down there"), RateLimited, after=5.0
    ),
    Failure(
        "muted", "post",
        says(False, "restricted: you are timed out until 1790000040"), RateLimited, after=40.0,
    ),
    Failure(
        "no member", "post", says(False, "restricted: not a channel member"), ConversationGone
    ),
    Failure("archived", "post", says(False, "invalid: channel is archived"), ConversationGone),
    Failure("no such channel", "post", says(False, "error: channel not found"), ConversationGone),
    Failure(
        "too large", "post",
        says(False, "invalid: content exceeds maximum size of 262144 bytes"), PostRejected,
    ),
    Failure("of another time", "post", says(False, FOR_EVER), PostRejected),
    Failure("wants work", "post", says(False, "pow: 20 bits needed"), PostRejected),
    Failure("trouble", "post", says(False, "error: database error"), PlatformUnavailable),
    Failure("no reason", "post", says(False), PlatformUnavailable),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
    Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
    Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
    Failure("other words", "post", notice("hello"), PostUnknown),
)  # fmt: skip

BUZZ: Final = Enrolment(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    own=("message.own",),
    twins=(),
    visible=lambda draft: draft.text,
    closed=closed,
    to=TO,
    token=SECRET,
    posted=(says(True),),
    unchanged=says(True),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure(
            "outside of the thread", "post", says(False, "invalid: reply parent not found"),
            ConversationGone,
        ),
    ),
    held=Held(secret="private_key", signed=2, own=("message.own",)),
)  # fmt: skip
