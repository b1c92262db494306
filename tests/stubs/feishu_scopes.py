"""Which scopes open which call and event of Feishu's, as its pages list them: one of each row does.

https://open.feishu.cn/document/server-docs/im-v1/introduction
https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code
"""

from collections.abc import Collection
from types import MappingProxyType
from typing import Any, Final

from tests.stubs.feishu_rules import Do, Refusal

_POSTING: Final = ("im:message", "im:message:send_as_bot")
_READING: Final = ("im:message", "im:message:readonly")
_UPLOADING: Final = ("im:resource", "im:resource:upload")

OF_CALLS: Final = MappingProxyType(
    {
        Do.REPLY: _POSTING,
        Do.CREATE: _POSTING,
        Do.PATCH: (*_POSTING, "im:message:update"),
        Do.REACT: ("im:message", "im:message.reactions:write_only"),
        Do.HISTORY: _READING,
        Do.RESOURCE: _READING,
        Do.IMAGE: _UPLOADING,
        Do.FILE: _UPLOADING,
    }
)
OF_MESSAGES: Final = MappingProxyType(
    {
        "p2p": ("im:message.p2p_msg:readonly", "im:message.p2p_msg"),
        "group": (
            "im:message.group_at_msg:readonly",
            "im:message.group_at_msg",
            "im:message.group_msg",
        ),
    }
)
"""What `im.message.receive_v1` wants, by the kind of chat."""

EVERY: Final = frozenset(
    {
        "im:message.p2p_msg:readonly", "im:message.group_at_msg:readonly",
        "im:message:send_as_bot", "im:message:readonly", "im:message.reactions:write_only",
        "im:resource",
    }
)  # fmt: skip
ACCESS_DENIED: Final = 99991672
GRANTED, NOT_GRANTED = 1, 2


def check_scope(what: str, granted: Collection[str]) -> None:
    """Refuse a call that none of the granted scopes opens."""
    openers = OF_CALLS.get(Do(what), ()) if what in set(Do) else ()
    if openers and not set(openers) & set(granted):
        said = f"Access denied. One of the following scopes is required: [{', '.join(openers)}]."
        raise Refusal(ACCESS_DENIED, said)


def told_scopes(granted: Collection[str]) -> list[dict[str, Any]]:
    """List scopes as the app asked for them, with what the organisation said."""
    return [
        {"scope_name": name, "grant_status": GRANTED if name in granted else NOT_GRANTED}
        for name in sorted({*EVERY, *granted})
    ]
