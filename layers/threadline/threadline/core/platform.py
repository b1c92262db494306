"""What a platform is: a small required contract and optional abilities asked for by type."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from threadline.core.http import BlobRef, Flow, SaveTo
from threadline.core.ids import PlatformName
from threadline.core.message import FileRef, Message, Parsed, Webhook
from threadline.core.posting import (
    Credentials,
    Destination,
    Draft,
    FileDraft,
    Receipt,
    Reply,
    Stage,
    Traits,
)

if TYPE_CHECKING:
    from threadline.core.choice import Choice
    from threadline.core.settings import Binding


class Platform(Protocol):
    """A codec: pure, without sockets; what it wants from the network it yields in flows."""

    name: ClassVar[PlatformName]
    traits: ClassVar[Traits]

    def render(self, reply: Reply) -> tuple[Draft, ...]:
        """Turn Markdown into drafts within the limits: no text lost, code fences closed."""
        ...


@runtime_checkable
class Parses(Platform, Protocol):
    """Reads what its platform sent, by a webhook or over a connection of ours."""

    def parse(self, request: Webhook, credentials: Credentials, now: float) -> Parsed:
        """Turn an authentic request into messages; what cannot be read is Ignored("unreadable").

        Never raises for any bytes. Own posts, receipts and unknown events are Ignored.
        """
        ...


@runtime_checkable
class ReceivesHttp(Parses, Protocol):
    """Takes webhooks."""

    secrets_needed: ClassVar[tuple[str, ...]]
    """Names of the secrets without which no route exists (404)."""

    def verify(self, request: Webhook, credentials: Credentials, now: float) -> None:
        """Accept the raw request or raise SignatureInvalid or DeliveryStale; never another error.

        Constant time. Reads nothing of the body but its bytes.
        """
        ...


@runtime_checkable
class Posts(Platform, Protocol):
    """Can post a new message."""

    def post(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt]:
        """Post one draft; the same nonce marks the same part. Raises PostError."""
        ...


@runtime_checkable
class Edits(Platform, Protocol):
    """Can change what it posted."""

    def edit(
        self, draft: Draft, posted: Receipt, to: Destination, credentials: Credentials
    ) -> Flow[Receipt]:
        """Replace a posted draft; an unchanged text is success. Raises PostError."""
        ...


@runtime_checkable
class Signals(Platform, Protocol):
    """Can mark a message: reaction, typing."""

    stages: ClassVar[frozenset[Stage]]

    def signal(self, stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
        """Show the stage at the destination's anchor; repeating it does no harm."""
        ...


@runtime_checkable
class FetchesFiles(Platform, Protocol):
    """Can download what a person attached."""

    def fetch(self, file: FileRef, credentials: Credentials, save_to: SaveTo) -> Flow[BlobRef]:
        """Save the file's bytes and give the blob, checked against the limit before and after.

        Raises PostRejected with a reason a person can read.
        """
        ...


@runtime_checkable
class UploadsFiles(Platform, Protocol):
    """Can post a file the agent made."""

    def upload(self, file: FileDraft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
        """Post a file. Raises PostError."""
        ...


@runtime_checkable
class ExchangesToken(Platform, Protocol):
    """Needs a short-lived token made from its secrets (GitHub App, Feishu tenant)."""

    def exchange(self, credentials: Credentials, to: Destination, now: float) -> Flow[Credentials]:
        """Give credentials that post; the caller caches them until `expires_at` says otherwise.

        The fresh secret is stored under `token`, its end under `token_expires_at` (epoch seconds).
        """
        ...


@runtime_checkable
class ReadsHistory(Platform, Protocol):
    """Can tell whether a post whose answer was lost stands in the chat."""

    def find_posted(
        self, draft: Draft, to: Destination, credentials: Credentials, nonce: str
    ) -> Flow[Receipt | None]:
        """Look the post up, newest first; None where it certainly does not stand."""
        ...


@runtime_checkable
class Chooses(Platform, Protocol):
    """Decides by its own rules which bindings one message reaches (fan-out)."""

    def choose(self, message: Message, bindings: "Sequence[Binding]") -> "tuple[Choice, ...]":
        """Give a choice for each binding of this message, fired or with a reason."""
        ...


@runtime_checkable
class Stamps(Platform, Protocol):
    """Can make a recorded delivery pass for one sent just now."""

    def stamp(
        self, request: Webhook, credentials: Credentials, now: float, fresh: int = 0
    ) -> Webhook:
        """Sign the body as the platform would; `fresh` above 0 first numbers its ids anew."""
        ...


@runtime_checkable
class Identifies(Platform, Protocol):
    """Can ask which account the credentials belong to."""

    def identify(self, credentials: Credentials) -> Flow[Credentials]:
        """Give the credentials with `identity` and `identity_name` filled in. Raises PostError."""
        ...
