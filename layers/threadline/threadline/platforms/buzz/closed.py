"""What a relay means by closing a subscription: a bootstrap, a refusal, or a hiccup.

https://github.com/nostr-protocol/nips/blob/master/01.md#from-relay-to-client-sending-events-and-notices
"""

import re
from typing import Final

AUTH_REQUIRED: Final = "auth-required:"
TOO_FAST: Final = "rate-limited:"
REOPEN_AFTER: Final = (0.0, 1.0, 2.0)
"""Seconds before a subscription is opened again, by how often that was tried."""

SLOW_DOWN: Final = 5.0
SLOWEST: Final = 60.0
_RETRY_IN: Final = re.compile(r"retry in (\d{1,6})")
_FOR_GOOD: Final = (AUTH_REQUIRED, "restricted:", "blocked:", "mute:", "invalid:", "pow:")
_FOR_GOOD_ANYWHERE: Final = (
    "revoke",
    "not a member",
    "not a channel member",
    "no longer a member",
    "access denied",
    "unauthorized",
    "forbidden",
    "archiv",
    "not found",
    "does not exist",
)


def wants_auth(reason: str) -> bool:
    """Tell whether the relay only wants us to authenticate."""
    return reason.strip().lower().startswith(AUTH_REQUIRED)


def for_good(reason: str) -> bool:
    """Tell whether trying again is no use; an unknown or empty reason is a hiccup."""
    said = reason.strip().lower()
    return said.startswith(_FOR_GOOD) or any(words in said for words in _FOR_GOOD_ANYWHERE)


def too_fast(reason: str) -> float:
    """Give the seconds for which the relay wants us to wait, 0 where it does not ask for that.

    Buzz counts every request: `rate-limited: quota exceeded; retry in 3s`.
    https://github.com/block/buzz/blob/main/crates/buzz-relay/src/connection.rs
    """
    said = reason.strip().lower()
    if not said.startswith(TOO_FAST):
        return 0.0
    told = _RETRY_IN.search(said)
    return min(max(float(told[1]), 1.0), SLOWEST) if told else SLOW_DOWN
