"""GitHub as the contract suite sees it; an App that exists nowhere."""

import json
import re
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
from threadline.platforms.github import PLATFORM

TOKEN: Final = "ghs_an-installation-token-of-nobody"
CREDENTIALS: Final = Credentials(
    platform=PLATFORM.name,
    app=AppName("default"),
    identity="41898282",
    identity_name="acme-coder[bot]",
    secrets={"token": TOKEN, "webhook_secret": "recorded-webhook-secret"},
)
TO: Final = Destination(
    platform=PLATFORM.name,
    app=AppName("default"),
    workspace="acme/widgets",
    chat="acme/widgets",
    anchor="comment-3300000001",
    facts={
        "repository_id": "700100200",
        "number": "42",
        "target": "comment",
        "target_id": "3300000001",
        "installation_id": "3141592",
    },
)
LIMITED: Final = "You have exceeded a secondary rate limit. Please wait a few minutes."


def refused(status: int, message: str, **headers: str) -> HttpResponse:
    """Give an error answer in the shape of the REST API."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"message": message, "documentation_url": "https://docs.github.com/rest"}
    return HttpResponse(status, named, json.dumps(body | {"status": str(status)}).encode())


def commented(number: int = 17) -> HttpResponse:
    """Give the answer to a comment that was made or changed."""
    body = {"id": number, "body": "The **answer**.", "user": {"login": "acme-coder[bot]"}}
    return HttpResponse(201, {}, json.dumps(body).encode())


def closed(draft: Draft) -> bool:
    """Tell whether every fence of a comment's own level ends inside the comment."""
    lines = re.split(r"\r\n?|\n", draft.text)
    fences = (t for t in MarkdownIt().parse(draft.text) if t.type == "fence" and t.level == 0)
    for fence in fences:
        assert fence.map
        last = lines[fence.map[1] - 1].strip()
        if fence.map[1] - fence.map[0] < 2 or not last.startswith(fence.markup):
            return False
    return True


BOTH: Final = (
    Failure("wrong token", "post", refused(401, "Bad credentials"), CredentialsRejected),
    Failure(
        "no permission", "post",
        refused(403, "Resource not accessible by integration"), CredentialsRejected,
    ),
    Failure(
        "secondary limit", "post", refused(403, LIMITED, retry_after="33"), RateLimited, after=33.0
    ),
    Failure("untold limit", "post", refused(403, LIMITED), RateLimited, after=60.0),
    Failure("too many", "post", refused(429, LIMITED), RateLimited, after=60.0),
    Failure(
        "limit spent", "post",
        refused(
            403, "API rate limit exceeded for installation ID 3141592.",
            x_ratelimit_remaining="0", x_ratelimit_reset="1790000300",
            date="Mon, 21 Sep 2026 14:13:20 GMT",
        ),
        RateLimited, after=300.0,
    ),
    Failure(
        "limit spent, no date", "post",
        refused(403, "API rate limit exceeded", x_ratelimit_remaining="0"), RateLimited, after=60.0,
    ),
    Failure(
        "too quickly", "post",
        refused(422, "Validation Failed: was submitted too quickly"), RateLimited, after=60.0,
    ),
    Failure("gone", "post", refused(404, "Not Found"), ConversationGone),
    Failure("deleted issue", "post", refused(410, "This issue was deleted"), ConversationGone),
    Failure(
        "locked", "post",
        refused(403, "Unable to create comment because issue is locked."), PostRejected,
    ),
    Failure("invalid", "post", refused(422, "Validation Failed"), PostRejected),
    Failure("maintenance", "post", refused(503, "Unavailable"), PlatformUnavailable),
    Failure("refused connection", "post", Lost("refused", sent=False), PlatformUnavailable),
    Failure("no address", "post", Lost("forbidden", sent=False), PlatformUnavailable),
)  # fmt: skip

GITHUB: Final = Knocking(
    platform=PLATFORM,
    credentials=CREDENTIALS,
    signed_with="webhook_secret",
    signature="x-hub-signature-256",
    signs_body=True,
    own=("issue_comment.own", "issue_comment.own_by_token"),
    twins=(("issue_comment.created", "issue_comment.other_repository"),),
    visible=lambda draft: draft.text,
    closed=closed,
    to=TO,
    token=TOKEN,
    posted=(commented(),),
    unchanged=replace(commented(), status=200),
    failures=(
        *BOTH,
        *(replace(failure, call="edit") for failure in BOTH),
        Failure("lost", "post", Lost("timeout", sent=True), PostUnknown),
        Failure("cut", "post", Lost("reset", sent=True), PostUnknown),
        Failure("fault", "post", refused(500, "Server Error"), PostUnknown),
        Failure("gateway", "post", HttpResponse(502, {}, b"<html>"), PostUnknown),
        Failure("lost edit", "edit", Lost("timeout", sent=True), PlatformUnavailable),
        Failure("fault at edit", "edit", refused(500, "Server Error"), PlatformUnavailable),
    ),
)
