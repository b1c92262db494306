"""The errors of Threadline; each carries its own retry decision.

ThreadlineError                    message fit for a log, never a secret
├── DeliveryRejected               answered 4xx: DeliveryTooLarge · SignatureInvalid · DeliveryStale
├── AgentError                     AgentBusy · AgentUnavailable · AgentUnknown · AgentRejected
│                                  · ThreadMissing · NotOffered
├── PostError                      RateLimited · PlatformUnavailable · PostUnknown
│                                  · ConversationGone · PostRejected · CredentialsRejected
└── StoreError                     Conflict · LeaseLost · StoreUnavailable
ConfigError                        outside the tree: lists every fault at once
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

type Retry = Literal["never", "later"]


class ThreadlineError(Exception):
    """Anything Threadline itself reports; its text is fit for a log and holds no secret."""

    retry: ClassVar[Retry] = "never"


class DeliveryRejected(ThreadlineError):
    """A webhook that is refused before its signature was accepted."""

    status: ClassVar[int] = 400
    reason: ClassVar[str] = "rejected"


class DeliveryTooLarge(DeliveryRejected):
    """The body is longer than the platform's `Traits.max_delivery`."""

    status = 413
    reason = "too_large"


class SignatureInvalid(DeliveryRejected):
    """The signature, token or secret is missing or wrong."""

    status = 401
    reason = "signature_invalid"


class DeliveryStale(DeliveryRejected):
    """The signed time lies outside the freshness window."""

    status = 401
    reason = "stale_signature"


class AgentError(ThreadlineError):
    """The agent did not do what was asked."""


class AgentBusy(AgentError):
    """Another run is active on the thread (409)."""

    retry: ClassVar[Retry] = "later"


class AgentUnavailable(AgentError):
    """The agent certainly did not take the request: refused, 429, 502, 503 before any effect."""

    retry: ClassVar[Retry] = "later"


class AgentUnknown(AgentError):
    """The answer was lost or unreadable: the request may have taken effect."""

    retry: ClassVar[Retry] = "later"


class AgentRejected(AgentError):
    """The agent will never take this request (401, 403, 422): configuration or credentials."""


class ThreadMissing(AgentError):
    """The thread is unknown to the agent (404)."""


class NotOffered(AgentError):
    """This dialect has no such command."""


class PostError(ThreadlineError):
    """A platform did not take what was posted."""


class RateLimited(PostError):
    """The platform asks to wait; `after` is in seconds. `everywhere`: in all chats of the app."""

    retry: ClassVar[Retry] = "later"

    def __init__(self, message: str, after: float, *, everywhere: bool = False) -> None:
        super().__init__(message)
        self.after = after
        self.everywhere = everywhere


class PlatformUnavailable(PostError):
    """The platform certainly did not take the post: refused, or an answer that says so."""

    retry: ClassVar[Retry] = "later"


class PostUnknown(PostError):
    """The answer was lost: the post may stand in the chat."""


class ConversationGone(PostError):
    """The chat, topic or message no longer exists, or the bot was removed from it."""


class PostRejected(PostError):
    """The platform will never take this post as it is."""


class CredentialsRejected(PostError):
    """The token is wrong or lacks a scope: the operator must act."""


class StoreError(ThreadlineError):
    """The item store, a queue or the blob store failed."""

    retry: ClassVar[Retry] = "later"


class Conflict(StoreError):
    """An expected version did not match, nothing was written; `failed`: sort keys at fault."""

    def __init__(self, message: str, failed: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.failed = tuple(failed)


class LeaseLost(StoreError):
    """Somebody else holds the lease now."""

    retry: ClassVar[Retry] = "never"


class StoreUnavailable(StoreError):
    """The store did not answer; whether a write took effect is unknown."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault in the configuration and where it stands."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


class ConfigError(Exception):
    """The configuration cannot be used; `faults` lists every one at once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = tuple(faults)
