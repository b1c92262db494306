"""The words parse leaves for the rest of this platform: events, targets, facts of a destination."""

from enum import StrEnum
from typing import Final

from threadline.core.ids import PlatformName

NAME: Final = PlatformName("github")


class Event(StrEnum):
    """The events that may lead to a message, by GitHub's names."""

    ISSUES = "issues"
    ISSUE_COMMENT = "issue_comment"
    PULL_REQUEST = "pull_request"
    REVIEW = "pull_request_review"
    REVIEW_COMMENT = "pull_request_review_comment"


class Target(StrEnum):
    """What a message was, and so what a reaction or an answer goes to."""

    ISSUE = "issue"
    PULL = "pull"
    COMMENT = "comment"
    REVIEW = "review"
    REVIEW_COMMENT = "review_comment"


OPENING: Final = frozenset({"opened", "created", "submitted"})
"""The actions that bring something new; any other touches what is already there."""

NUMBER: Final = "number"
TARGET: Final = "target"
TARGET_ID: Final = "target_id"
REPOSITORY_ID: Final = "repository_id"
INSTALLATION: Final = "installation_id"
IS_PULL: Final = "is_pull"
THREAD: Final = "thread"
"""The comment that began the review thread; only it can be replied to."""
OF_REVIEW: Final = "of_review"
"""The review that a comment came with; absent on a reply in a thread."""
