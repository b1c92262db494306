"""What the API says when it does not do what was asked, and which error of ours that is.

Feishu answers with a `code` that is not 0, under HTTP 400, 429 or 200 alike.
https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code
https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/reply
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
from threadline.platforms.feishu.payload import Fields, decode, text

TOKEN_IS_OVER: Final = frozenset({99991661, 99991663, 99991664, 99991665, 99991671})
"""The access token is missing, unknown or no longer good: another one helps."""
CARD_REFUSED: Final = frozenset({230099, 200860, 200861, 300305})
"""A card that Feishu cannot make, such as one with too many tables (ErrCode 11310 inside)."""
CONTENT_REFUSED: Final = frozenset({230022, 230028})
"""Words that Feishu or the organisation's own rules do not let through."""
CARD_GONE: Final = frozenset({230011, 230031, 230110, 231003})
"""The card was recalled or deleted, or is older than the 14 days in which it may change."""
ANCHOR_GONE: Final = frozenset({230011, 230019, 230050, 230054, 230071, 230072, 230110, 230111})
"""The message replied to was recalled or takes no reply; the chat itself may well."""

_LONGEST_SHOWN: Final = 160
_MEANINGS: Final[Mapping[int, type[PostError]]] = MappingProxyType(
    {
        11232: RateLimited,  # the whole organisation's sending
        99991400: RateLimited,  # this app's calls
        230020: RateLimited,  # this chat or this message
        230049: PlatformUnavailable,  # the same post is still on its way
        231015: PlatformUnavailable,  # the same reaction is still on its way
        232096: PlatformUnavailable,
        234019: PlatformUnavailable,
        230002: ConversationGone,  # the bot is not in the group
        230013: ConversationGone,  # the person is outside the app's availability, or has left
        230018: ConversationGone,  # the group lets only some people speak
        230035: ConversationGone,  # the group is muted, or the person blocked the bot
        230038: ConversationGone,  # somebody of another organisation, in private
        231002: ConversationGone,
        231004: ConversationGone,
        231008: ConversationGone,
        231022: ConversationGone,
        232009: ConversationGone,  # the group was dissolved
        234004: ConversationGone,
        10003: CredentialsRejected,  # no such app
        10014: CredentialsRejected,  # wrong secret
        230006: CredentialsRejected,  # the app has no bot
        230027: CredentialsRejected,  # a scope is missing
        234002: CredentialsRejected,
        234007: CredentialsRejected,
        99991543: CredentialsRejected,  # app_id or app_secret
        99991662: CredentialsRejected,  # the app is switched off
        99991672: CredentialsRejected,  # a scope is missing
        99991673: CredentialsRejected,  # the app is not installed
        **dict.fromkeys(TOKEN_IS_OVER, CredentialsRejected),
        **dict.fromkeys(CARD_GONE | ANCHOR_GONE, ConversationGone),
    }
)
"""Codes that are more than a plain no."""
_USUAL_WAIT: Final = MappingProxyType({11232: 10.0, 99991400: 10.0, 230020: 1.0})
"""Seconds to wait where the answer does not say."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that says no; `code` is 0 where it had none, `after` is in seconds."""

    status: int
    code: int
    said: str = ""
    after: float = 1.0


type Answer = Fields | Refused | Lost


def read(answer: HttpResponse | Lost) -> Answer:
    """Give the decoded answer where it is a yes; one that cannot be understood counts as lost."""
    if isinstance(answer, Lost):
        return answer
    fields = decode(answer.body) or {}
    code = fields.get("code")
    if type(code) is not int:
        if answer.status < 400:
            return Lost("reset", sent=True)
        return Refused(answer.status, 0, after=_wait(answer, 0))
    if code == 0 and answer.status < 300:
        return fields
    return Refused(answer.status, code, text(fields, "msg"), _wait(answer, code))


def error(what: str, problem: Refused | Lost, *, adds: bool) -> PostError:
    """Give the error that carries the right decision; `adds`: the call makes something new."""
    if isinstance(problem, Lost):
        if problem.sent and adds:
            return PostUnknown(f"Feishu did not answer {what} ({problem.why})")
        return PlatformUnavailable(f"Feishu cannot be reached for {what} ({problem.why})")
    told = f"Feishu refused {what}: {problem.code or problem.status} {problem.said}".rstrip()
    told = told[:_LONGEST_SHOWN]
    meaning = _MEANINGS.get(problem.code)
    if meaning is RateLimited or problem.status == 429:
        return RateLimited(told, problem.after)
    if meaning is not None:
        return meaning(told)
    if problem.status >= 500:
        return PostUnknown(told) if adds else PlatformUnavailable(told)
    if problem.status == 401 and not problem.code:
        return CredentialsRejected(told)
    return PostRejected(told)


def _wait(answer: HttpResponse, code: int) -> float:
    """Read how long Feishu asks to wait.

    https://open.feishu.cn/document/server-docs/api-call-guide/frequency-control
    """
    usual = _USUAL_WAIT.get(code, 1.0)
    for name in ("x-ogw-ratelimit-reset", "retry-after"):
        try:
            return max(float(answer.headers.get(name, "")), 0.0)
        except ValueError:
            continue
    return usual
