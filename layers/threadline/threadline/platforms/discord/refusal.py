"""What Discord says when it does not do what was asked, and which error of ours that is.

https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
from threadline.platforms.discord.payload import Fields, decode, flag, number, snowflake, text

UNKNOWN_CHANNEL: Final = 10003
UNKNOWN_MESSAGE: Final = 10008
UNKNOWN_WEBHOOK: Final = 10015
MISSING_ACCESS: Final = 50001
MISSING_PERMISSIONS: Final = 50013
INVALID_TOKEN_OF_ANSWER: Final = 50027
INVALID_FORM: Final = 50035
NO_HISTORY: Final = 160002
THREAD_EXISTS: Final = 160004

UNTOLD_WAIT: Final = 5.0
"""Seconds to wait after a limit that names no time."""

_GONE: Final = (
    UNKNOWN_CHANNEL,
    10004,  # unknown guild
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    MISSING_ACCESS,
    50005,  # somebody else's message
    50007,  # this person takes no messages from the bot
    50008,  # no channel for text
    MISSING_PERMISSIONS,
    INVALID_TOKEN_OF_ANSWER,
    50083,  # the thread is archived
    50278,  # no server in common with this person
    160005,  # the thread is locked
)
"""A place that will not take anything again, or not from this bot."""

LIMITED: Final = (
    20016,  # slow mode
    20028,  # the channel is being written to too fast
    20029,  # so is the server
    30046,  # too many edits of an old message
    31002,  # too many requests of one kind
    40062,  # the service itself is being limited
)
"""Limits that may come with another status than 429."""

_CREDENTIALS: Final = (
    40001,  # unauthorized
    50014,  # invalid token
)
_NOT_NOW: Final = (
    40004,  # sending is switched off for now
    130000,  # overloaded
)

MEANS: Final[Mapping[int, type[PostError]]] = MappingProxyType(
    {
        **dict.fromkeys(_GONE, ConversationGone),
        **dict.fromkeys(_CREDENTIALS, CredentialsRejected),
        **dict.fromkeys(_NOT_NOW, PlatformUnavailable),
        40005: PostRejected,  # too large
        INVALID_FORM: PostRejected,
        NO_HISTORY: ConversationGone,
    }
)
"""The codes that mean something to us; what has none is told by its status."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that says no; `code` is Discord's own, -1 for none, `after` in seconds."""

    status: int
    code: int
    message: str = ""
    after: float = UNTOLD_WAIT
    everywhere: bool = False

    def is_any_of(self, *codes: int) -> bool:
        """Tell whether the code is one of these."""
        return self.code in codes


type Answer = Fields | Refused | Lost


def read(answer: HttpResponse | Lost) -> Answer:
    """Give the decoded object where it is a yes; one that cannot be understood counts as lost."""
    if isinstance(answer, Lost):
        return answer
    fields = decode(answer.body)
    if answer.status == 204:
        return {}
    if answer.status in {200, 201} and fields is not None and snowflake(fields, "id"):
        return fields
    if answer.status < 400:
        return Lost("reset", sent=True)
    return refused(answer)


def read_any(answer: HttpResponse | Lost) -> Answer:
    """Give the decoded object, or a list as the object `{"list": …}`, where it is a yes."""
    if isinstance(answer, Lost):
        return answer
    if answer.status == 200:
        fields = decode(b'{"list":' + answer.body + b"}")
        inner = (fields or {}).get("list")
        if isinstance(inner, list) and fields is not None:
            return fields
        if isinstance(inner, dict):
            return inner
    return Lost("reset", sent=True) if answer.status < 400 else refused(answer)


def refused(answer: HttpResponse) -> Refused:
    """Read a refusal; the header counts whole seconds, the body knows their parts."""
    fields = decode(answer.body) or {}
    message = text(fields, "message")
    told = fields.get("retry_after")
    exact = float(told) if isinstance(told, int | float) and 0 <= told < 86_400 else -1.0
    return Refused(
        status=answer.status,
        code=number(fields, "code"),
        message=message[:120] if message.isprintable() else "",
        after=exact if exact >= 0 else retry_after(answer, UNTOLD_WAIT),
        everywhere=_is_global(fields, answer),
    )


def _is_global(fields: Fields, answer: HttpResponse) -> bool:
    """Tell whether the limit is the bot's, or its address's, rather than one of a channel."""
    scope = answer.headers.get("x-ratelimit-scope", "")
    return flag(fields, "global") or scope == "global" or not (fields or scope)


def error(what: str, problem: Refused | Lost, *, repeatable: bool) -> PostError:
    """Give the error that carries the right decision; `repeatable` calls may simply come again."""
    if isinstance(problem, Lost):
        said = f"Discord did not answer {what} ({problem.why})"
        lost = problem.sent and not repeatable
        return PostUnknown(said) if lost else PlatformUnavailable(said)
    code = f" {problem.code}" if problem.code > 0 else ""
    said = f"Discord refused {what}: {problem.status}{code} {problem.message}".strip()
    if problem.status == 429:
        return RateLimited(said, problem.after, everywhere=problem.everywhere)
    if problem.code in LIMITED:
        return RateLimited(said, max(problem.after, UNTOLD_WAIT))
    if problem.code in MEANS:
        return MEANS[problem.code](said)
    return _by_status(problem.status, said, repeatable=repeatable)


def _by_status(status: int, said: str, *, repeatable: bool) -> PostError:
    match status:
        case 401:
            return CredentialsRejected(said)
        case 403 | 404:
            return ConversationGone(said)
        case 408 | 425:
            return PlatformUnavailable(said)
        case _ if status >= 500:
            return PlatformUnavailable(said) if repeatable else PostUnknown(said)
        case _:
            return PostRejected(said)
