"""Comments and reactions by GitHub's REST API.

https://docs.github.com/en/rest/issues/comments
https://docs.github.com/en/rest/pulls/comments
https://docs.github.com/en/rest/reactions/reactions
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from threadline.core.errors import PlatformUnavailable, PostRejected, PostUnknown
from threadline.core.http import Flow, HttpResponse
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Stage
from threadline.platforms.github import facts, marker, rest
from threadline.platforms.github.facts import Target
from threadline.platforms.github.pings import without_bots

REACTIONS: Final = MappingProxyType(
    {
        Stage.ACCEPTED: "eyes",
        Stage.QUEUED: "eyes",
        Stage.RUNNING: "eyes",
        Stage.DONE: "rocket",
        Stage.FAILED: "confused",
        Stage.REFUSED: "confused",
    }
)
IN_CONVERSATION: Final = "issues"
IN_REVIEW: Final = "pulls"
"""Where a comment of ours stands: the path of its kind, kept in the receipt as `kind`."""

_PAGE: Final = 100
_LAST_PAGE: Final = re.compile(r"[?&]page=([0-9]+)[^>]*>; rel=\"last\"")


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Comment in the review thread, or in the conversation where there is none (any more)."""
    text = yield from without_bots(draft.text, credentials)
    body = {"body": marker.marked(text, nonce)}
    thread = to.facts.get(facts.THREAD)
    if thread:
        path = f"{_item(to, IN_REVIEW)}/comments/{thread}/replies"
        answer = yield from rest.call("POST", path, credentials, body)
        if not (isinstance(answer, HttpResponse) and answer.status == 404):
            answer = rest.succeeded(answer, credentials, adds=True)
            return _receipt(answer, IN_REVIEW, nonce)
    answer = yield from rest.call(
        "POST", f"{_item(to, IN_CONVERSATION)}/comments", credentials, body
    )
    answer = rest.succeeded(answer, credentials, adds=True)
    return _receipt(answer, IN_CONVERSATION, nonce)


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a comment's text; its hidden line stays."""
    text = yield from without_bots(draft.text, credentials)
    nonce, kind = posted.facts.get("nonce", ""), posted.facts.get("kind", IN_CONVERSATION)
    body = {"body": marker.marked(text, nonce) if nonce else text}
    path = f"{rest.of_repository(to)}/{kind}/comments/{posted.id}"
    answer = yield from rest.call("PATCH", path, credentials, body, repeatable=True)
    if _number(rest.succeeded(answer, credentials)) is None:
        raise PlatformUnavailable("GitHub: an edit with an answer that cannot be read")
    return posted


def signal(stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
    """React to what was written; GitHub answers 200 where the reaction is there already."""
    path, reaction = f"{_reacted_to(to)}/reactions", {"content": REACTIONS[stage]}
    answer = yield from rest.call("POST", path, credentials, reaction, repeatable=True)
    rest.succeeded(answer, credentials)


def find_posted(to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt | None]:
    """Look for the comment with this nonce in the review thread, then in the conversation."""
    if to.facts.get(facts.THREAD):
        path = f"{_item(to, IN_REVIEW)}/comments?sort=created&direction=desc&per_page={_PAGE}"
        page = 1
        while comments := (yield from _comments(f"{path}&page={page}", credentials))[0]:
            if found := _ours(comments, IN_REVIEW, nonce):
                return found
            page += 1
    return (yield from _in_conversation(to, credentials, nonce))


def _in_conversation(to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt | None]:
    """Read the pages backwards: this list is sorted by age and cannot be turned round."""
    path = f"{_item(to, IN_CONVERSATION)}/comments?per_page={_PAGE}"
    first, last = yield from _comments(f"{path}&page=1", credentials)
    for page in range(last, 1, -1):
        comments, _ = yield from _comments(f"{path}&page={page}", credentials)
        if found := _ours(comments, IN_CONVERSATION, nonce):
            return found
    return _ours(first, IN_CONVERSATION, nonce)


def _comments(
    path: str, credentials: Credentials
) -> Flow[tuple[Sequence[Mapping[str, object]], int]]:
    """Read one page of comments, and how many pages there are."""
    answer = yield from rest.call("GET", path, credentials, repeatable=True)
    answer = rest.succeeded(answer, credentials)
    listed = rest.read(answer)
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        raise PlatformUnavailable("GitHub: a list of comments that cannot be read")
    last = _LAST_PAGE.search(answer.headers.get("link", ""))
    return [one for one in listed if isinstance(one, Mapping)], int(last[1]) if last else 1


def _ours(comments: Sequence[Mapping[str, object]], kind: str, nonce: str) -> Receipt | None:
    for one in reversed(comments):
        if marker.bears(str(one.get("body")), nonce):
            return Receipt(str(one.get("id")), {"kind": kind, "nonce": nonce})
    return None


def _receipt(answer: HttpResponse, kind: str, nonce: str) -> Receipt:
    number = _number(answer)
    if number is None:
        raise PostUnknown("GitHub: a comment that cannot be read was made")
    return Receipt(str(number), {"kind": kind, "nonce": nonce})


def _number(answer: HttpResponse) -> int | None:
    number = rest.field(rest.read(answer), "id")
    return number if isinstance(number, int) else None


def _item(to: Destination, kind: str) -> str:
    number = to.facts.get(facts.NUMBER, "")
    if not number.isdigit():
        raise PostRejected("GitHub: a destination without an issue or pull request")
    return f"{rest.of_repository(to)}/{kind}/{number}"


def _reacted_to(to: Destination) -> str:
    """Give what takes a reaction: a comment; for a review, which takes none, its pull request."""
    made = to.facts.get(facts.TARGET_ID, "")
    match to.facts.get(facts.TARGET):
        case Target.COMMENT:
            return f"{rest.of_repository(to)}/issues/comments/{made}"
        case Target.REVIEW_COMMENT:
            return f"{rest.of_repository(to)}/pulls/comments/{made}"
        case _:
            return _item(to, IN_CONVERSATION)
