"""What arrives: the webhook request, what a platform makes of it, and the message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from threadline.core.ids import AppName, DeliveryId, MailboxKey, MessageId, PlatformName


@dataclass(frozen=True, slots=True)
class Webhook:
    """One HTTP request as it came: header names lower case, `body` the raw bytes."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


class MessageKind(StrEnum):
    """What the message is to the conversation."""

    CHAT = "chat"
    EDIT = "edit"
    PRESS = "press"


class Trust(StrEnum):
    """What the platform says of the sender; `MEMBER` belongs to the workspace or repository."""

    NONE = "none"
    MEMBER = "member"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who wrote; `id` is the platform's own, `bot` marks an automatic account."""

    id: str
    name: str = ""
    bot: bool = False
    trust: Trust = Trust.NONE


@dataclass(frozen=True, slots=True)
class FileRef:
    """A file the platform holds; `id` is opaque, `size` in bytes or -1 where unknown.

    `message` is the id of the message that carries it: some platforms need it for the download.
    `problem` is a reason code where the platform already told that it cannot be had.
    """

    id: str = field(repr=False)
    name: str
    mime: str
    size: int = -1
    image: bool = False
    message: str = ""
    problem: str = ""


def safe_name(name: str) -> str:
    """Give the last part of a file name, "" where it is no name for a file."""
    name = name.replace("\\", "/").rpartition("/")[2].strip()
    fit = name.isprintable() and name not in {".", ".."} and len(name.encode()) <= 255
    return name if fit else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message that may lead to a run, complete: nobody later parses the platform's JSON.

    `topic` is where the message belongs unless an alias of `replies_to` says otherwise; "" is the
    chat's root conversation. `order` sorts as text in the platform's own sequence. `text` is what
    the person wrote; `prompt` is what the agent reads where that is more than the text.
    `addressed`: direct message, mention of the bot or reply to it. `awaited`: a command whose
    sender waits for its answer, and may be shown that one follows. `anchor` is the platform id the
    answer replies to. `facts` are the platform's own words about the destination, read by it alone.
    """

    platform: PlatformName
    app: AppName
    workspace: str
    chat: str
    topic: str
    id: MessageId
    delivery: DeliveryId
    mailbox: MailboxKey
    order: str
    sent_at: float
    sender: Sender
    text: str
    prompt: str = ""
    kind: MessageKind = MessageKind.CHAT
    edits: MessageId = MessageId("")
    event: str = ""
    action: str = ""
    private: bool = False
    addressed: bool = False
    awaited: bool = False
    replies_to: tuple[MessageId, ...] = ()
    anchor: str = ""
    files: tuple[FileRef, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Messages:
    """A delivery that may lead to runs; never empty. `answer` is what the platform is told."""

    messages: tuple[Message, ...]
    answer: bytes = b"{}"


@dataclass(frozen=True, slots=True)
class Handshake:
    """A delivery that is answered at once with this body (url verification, PING)."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200


@dataclass(frozen=True, slots=True)
class Ignored:
    """A delivery that can never be for us; `reason` is a code of `core.reasons`.

    `delivery` is its id where it has one; the verdict is the same without.
    """

    reason: str
    detail: str = ""
    delivery: str = field(default="", compare=False)


type Parsed = Messages | Handshake | Ignored
