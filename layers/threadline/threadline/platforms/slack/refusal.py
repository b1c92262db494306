"""What the Web API says when it does not do what was asked, and which error of ours that is.

A refusal comes as HTTP 200 with `"ok": false` and a word; only a rate limit has a status, 429.
https://docs.slack.dev/apis/web-api, https://docs.slack.dev/apis/web-api/rate-limits
"""

import re
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
from threadline.platforms.slack.payload import Fields, decode, flag, text

UNTOLD_WAIT: Final = 30.0
"""Seconds to wait after a limit that names no time."""

_WORD: Final = re.compile(r"[a-z0-9_]{1,80}")
_SCOPES: Final = re.compile(r"[a-z:.,]{1,80}")

_LIMITED: Final = ("message_limit_exceeded", "rate_limited", "ratelimited")

_CREDENTIALS: Final = (
    "access_denied",
    "accesslimited",
    "account_inactive",
    "ekm_access_denied",
    "enterprise_is_restricted",
    "invalid_auth",
    "missing_scope",
    "no_permission",
    "not_allowed_token_type",
    "not_authed",
    "team_access_not_granted",
    "token_expired",
    "token_revoked",
    "two_factor_setup_required",
)

_GONE: Final = (
    "cannot_reply_to_message",
    "cant_update_message",
    "channel_not_found",
    "channel_type_not_supported",
    "duplicate_channel_not_found",
    "duplicate_message_not_found",
    "edit_window_closed",
    "invalid_channel",
    "is_archived",
    "is_inactive",
    "message_not_found",
    "messages_tab_disabled",
    "not_in_channel",
    "posting_to_channel_denied",
    "restricted_action",
    "restricted_action_non_threadable_channel",
    "restricted_action_read_only_channel",
    "restricted_action_thread_locked",
    "restricted_action_thread_only_channel",
    "team_not_found",
    "thread_locked",
    "thread_not_found",
    "user_not_found",
)
"""Words for a channel, thread or post that will not take anything again, or not from this bot."""

_NOT_NOW: Final = (
    "external_channel_migrating",
    "org_login_required",
    "request_timeout",
    "streaming_state_conflict",
    "team_added_to_org",
)
"""Words for a request that certainly was not carried out and may be later."""

_PERHAPS: Final = (
    "fatal_error",
    "internal_error",
    "messaging_processing_failed",
    "service_unavailable",
    "update_failed",
)
"""Words for a request of which some part may have been carried out."""

MEANS: Final[Mapping[str, type[PostError]]] = MappingProxyType(
    {
        **dict.fromkeys(_LIMITED, RateLimited),
        **dict.fromkeys(_CREDENTIALS, CredentialsRejected),
        **dict.fromkeys(_GONE, ConversationGone),
        **dict.fromkeys(_NOT_NOW, PlatformUnavailable),
        **dict.fromkeys(_PERHAPS, PostUnknown),
    }
)
"""The words that mean something to us; any other is a request that is wrong in itself."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An answer that says no; `word` is Slack's, `needed` a scope, `after` in seconds."""

    status: int
    word: str
    needed: str = ""
    after: float = UNTOLD_WAIT


type Answer = Fields | Refused | Lost


def read(answer: HttpResponse | Lost) -> Answer:
    """Give the decoded answer where it is a yes; one that cannot be understood counts as lost."""
    if isinstance(answer, Lost):
        return answer
    fields = decode(answer.body)
    if fields is not None and answer.status == 200 and flag(fields, "ok"):
        return fields
    word = text(fields or {}, "error")
    if answer.status < 400 and not word:
        return Lost("reset", sent=True)
    needed = text(fields or {}, "needed")
    return Refused(
        status=answer.status,
        word=word if _WORD.fullmatch(word) else "",
        needed=needed if _SCOPES.fullmatch(needed) else "",
        after=retry_after(answer, UNTOLD_WAIT),
    )


def error(method: str, problem: Refused | Lost, *, repeatable: bool) -> PostError:
    """Give the error that carries the right decision; `repeatable` calls may simply come again."""
    if isinstance(problem, Lost):
        return _doubt(f"Slack did not answer {method} ({problem.why})", problem.sent, repeatable)
    what = f"Slack refused {method}: {problem.word or problem.status}"
    if problem.needed:
        what += f" (needs {problem.needed})"
    if problem.status == 429:
        return RateLimited(what, problem.after)
    meant = MEANS.get(problem.word)
    if meant is RateLimited:
        return RateLimited(what, problem.after)
    if meant is PostUnknown or (meant is None and problem.status >= 500):
        return _doubt(what, True, repeatable)
    if meant is None and problem.status in {401, 403}:
        return CredentialsRejected(what)
    return (meant or PostRejected)(what)


def _doubt(what: str, sent: bool, repeatable: bool) -> PostError:  # noqa: FBT001
    return PostUnknown(what) if sent and not repeatable else PlatformUnavailable(what)
