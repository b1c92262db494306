"""What a relay means by closing a subscription: a bootstrap, a refusal, or a hiccup.

https://github.com/nostr-protocol/nips/blob/master/01.md#from-relay-to-client-sending-events-and-notices
"""

from typing import Final

AUTH_REQUIRED: Final = "auth-required:"
REOPEN_AFTER: Final = (0.0, 1.0, 2.0)
"""Seconds before a subscription is opened again, by how often that was tried."""

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
