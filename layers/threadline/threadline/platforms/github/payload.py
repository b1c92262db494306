"""The fields of a delivery that are used; everything else is skipped unread.

https://docs.github.com/en/webhooks/webhook-events-and-payloads
"""

from typing import Final

import msgspec


class Account(msgspec.Struct, frozen=True, gc=False):
    """A user, organisation or bot."""

    login: str = ""
    id: int = 0
    type: str = ""


class Identified(msgspec.Struct, frozen=True, gc=False):
    """Anything of which the id is enough; 0 where it has none."""

    id: int = 0


class Repository(msgspec.Struct, frozen=True, gc=False):
    """Where it happened."""

    id: int = 0
    full_name: str = ""
    owner: Account | None = None


class Written(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What somebody wrote; `author_association` tells how its author stands to the repository."""

    id: int
    body: str | None = None
    html_url: str | None = None
    user: Account | None = None
    author_association: str = ""
    created_at: str | None = None
    updated_at: str | None = None


class Item(Written, frozen=True, gc=False, kw_only=True):
    """An issue or pull request; `pull_request` is there on an issue that is a pull request."""

    number: int
    title: str | None = None
    pull_request: Identified | None = None


class Comment(Written, frozen=True, gc=False, kw_only=True):
    """A comment on an issue or on a line of a diff."""

    path: str | None = None
    line: int | None = None
    original_line: int | None = None
    diff_hunk: str | None = None
    pull_request_review_id: int | None = None
    in_reply_to_id: int | None = None


class Review(Written, frozen=True, gc=False, kw_only=True):
    """A submitted review."""

    created_at: str | None = msgspec.field(default=None, name="submitted_at")
    state: str | None = None


class Delivery(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """The body of any event we read; `label` and the rest tell equal actions on one item apart."""

    action: str = ""
    sender: Account | None = None
    repository: Repository | None = None
    installation: Identified | None = None
    issue: Item | None = None
    pull_request: Item | None = None
    comment: Comment | None = None
    review: Review | None = None
    label: Identified | None = None
    milestone: Identified | None = None
    assignee: Identified | None = None
    requested_reviewer: Identified | None = None
    requested_team: Identified | None = None


_DECODER: Final = msgspec.json.Decoder(Delivery)


class NotReadable(Exception):
    """The body is not what GitHub documents."""


def decode(body: bytes) -> Delivery:
    """Read a JSON body. Raises NotReadable for any other bytes."""
    try:
        return _DECODER.decode(body)
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        raise NotReadable(type(error).__name__) from None
