"""What the agent reads of an event: described, not commanded, with what people wrote kept apart."""

from typing import Final, assert_never

from threadline.platforms.github.facts import Event
from threadline.platforms.github.payload import Account, Comment, Delivery, Item, Review

MOST_OF_A_BODY: Final = 4000
MOST_OF_A_HUNK: Final = 2000
_NO_BODY: Final = "[empty]"


def describe(event: Event, delivery: Delivery, item: Item, repository: str) -> str:
    """Describe the event; bodies stand verbatim up to 4000 characters, diff hunks up to 2000."""
    where = f"{repository}#{item.number}"
    match event:
        case Event.ISSUES:
            head = f"Issue {where} was {_done(delivery)}."
            return "\n".join([head, *_about(item)])
        case Event.PULL_REQUEST:
            head = f"Pull request {where} was {_done(delivery)}."
            return "\n".join([head, *_about(item)])
        case Event.ISSUE_COMMENT:
            kind = "issue" if item.pull_request is None else "pull request"
            head = f"A comment on {kind} {where} was {_done(delivery)}."
            return "\n".join([head, *_comment(delivery.comment), *_parent(kind, item)])
        case Event.REVIEW_COMMENT:
            head = f"A review comment on the diff of pull request {where} was {_done(delivery)}."
            said = _comment(delivery.comment)
            return "\n".join([head, *said, *_parent("pull request", item)])
        case Event.REVIEW:
            head = f"A review of pull request {where} was {_done(delivery)}."
            said = _review(delivery.review, repository, item.number)
            return "\n".join([head, *said, *_parent("pull request", item)])
        case _:
            assert_never(event)


def shortened(text: str, limit: int, where: str | None) -> str:
    """Cut a text to the limit, saying how much is missing and where it stands."""
    if len(text) <= limit:
        return text
    rest = f" at {where}" if where and len(where) <= limit // 4 else ""
    mark = f"\n[… {len(text)} characters in all, the rest{rest}]"
    return text[: limit - len(mark)] + mark


def _done(delivery: Delivery) -> str:
    by = f" by {_login(delivery.sender)}"
    return (delivery.action.replace("_", " ") or "touched") + by


def _about(item: Item) -> list[str]:
    return [
        f"Title: {item.title or '[no title]'}",
        f"Author: {_login(item.user)}",
        f"Address: {item.html_url or '[unknown]'}",
        *_section("Description", item.body, item.html_url),
    ]


def _parent(kind: str, item: Item) -> list[str]:
    return ["", f"The {kind} it belongs to:", *_about(item)]


def _comment(comment: Comment | None) -> list[str]:
    if comment is None:
        return []
    return [
        f"Comment's author: {_login(comment.user)}",
        f"Comment's address: {comment.html_url or '[unknown]'}",
        *_code(comment),
        *_section("Comment", comment.body, comment.html_url),
    ]


def _code(comment: Comment) -> list[str]:
    """Show what a review comment is on; a comment in the conversation is on no line."""
    if comment.path is None and comment.diff_hunk is None:
        return []
    line = comment.line or comment.original_line or "?"
    hunk = shortened(comment.diff_hunk or "[no diff]", MOST_OF_A_HUNK, comment.html_url)
    return [f"On: {comment.path or '[unknown file]'}:{line}", "", "Diff:", hunk]


def _review(review: Review | None, repository: str, number: int) -> list[str]:
    if review is None:
        return []
    lines = [
        f"Reviewer: {_login(review.user)}",
        f"Verdict: {review.state or '[unknown]'}",
        f"Review's address: {review.html_url or '[unknown]'}",
        *_section("Review", review.body, review.html_url),
    ]
    if review.id > 0 and number > 0:
        path = f"repos/{repository}/pulls/{number}/reviews/{review.id}/comments"
        lines += ["", f"Its comments on single lines can be read with: gh api {path}"]
    return lines


def _section(name: str, body: str | None, where: str | None) -> list[str]:
    written = body if body and not body.isspace() else _NO_BODY
    return ["", f"{name}:", shortened(written, MOST_OF_A_BODY, where)]


def _login(account: Account | None) -> str:
    """Name an account; GitHub shows a deleted one as ghost."""
    return account.login if account is not None and account.login else "ghost"
