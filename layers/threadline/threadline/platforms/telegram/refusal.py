"""What the Bot API says when it does not do what was asked, and which error of ours that is.

https://core.telegram.org/bots/api#making-requests
"""

from dataclasses import dataclass
from typing import Final

from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostRejected,
    PostUnknown,
    RateLimited,
)
from threadline.core.http import HttpResponse, Lost
from threadline.core.policy import retry_after
from threadline.platforms.telegram.payload import Fields, decode, flag, number, section, text

_LONGEST_SHOWN: Final = 120
_GONE: Final = (
    "chat not found",
    "chat_write_forbidden",
    "group chat was upgraded",
    "have no rights to send",
    "message can't be edited",
    "message to edit not found",
    "message_id_invalid",
    "need administrator rights",
    "not enough rights",
    "peer_id_invalid",
    "thread not found",
    "topic_closed",
    "topic_deleted",
    "user is deactivated",
)
"""Descriptions, in lower case, of a chat, topic or message that will not take anything again."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that says no; `description` in lower case, `after` in seconds.

    `moved_to` is the chat that a group has become.
    """

    status: int
    description: str
    after: float = 1.0
    moved_to: str = ""

    def says(self, *words: str) -> bool:
        """Tell whether the description holds any of these words."""
        return any(word in self.description for word in words)


type Answer = Fields | Refused | Lost


def read(answer: HttpResponse | Lost) -> Answer:
    """Give the decoded answer where it is a yes; one that cannot be understood counts as lost."""
    if isinstance(answer, Lost):
        return answer
    fields = decode(answer.body)
    if fields is not None and answer.status == 200 and flag(fields, "ok"):
        return fields
    if answer.status < 400:
        return Lost("reset", sent=True)
    fields = fields or {}
    more = section(fields, "parameters") or {}
    after = number(more, "retry_after")
    moved = number(more, "migrate_to_chat_id")
    return Refused(
        status=answer.status,
        description=text(fields, "description").lower(),
        after=retry_after(answer) if after is None else float(max(after, 0)),
        moved_to="" if moved is None else str(moved),
    )


def error(method: str, problem: Refused | Lost, *, repeatable: bool) -> PostError:
    """Give the error that carries the right decision; `repeatable` calls may simply come again."""
    if isinstance(problem, Lost):
        if problem.sent and not repeatable:
            return PostUnknown(f"Telegram did not answer {method} ({problem.why})")
        return PlatformUnavailable(f"Telegram cannot be reached for {method} ({problem.why})")
    what = f"Telegram refused {method}: {problem.status} {problem.description[:_LONGEST_SHOWN]}"
    match problem.status:
        case 429:
            return RateLimited(what, problem.after)
        case 401 | 404:
            return CredentialsRejected(what)
        case 403:
            return ConversationGone(what)
        case status if status >= 500:
            return PlatformUnavailable(what) if repeatable else PostUnknown(what)
        case _ if problem.says(*_GONE):
            return ConversationGone(what)
        case _:
            return PostRejected(what)
