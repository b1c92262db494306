"""Keys: readable, escaped, and short hashes of them for queues."""

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from threadline.core.ids import ConversationKey, MailboxKey, MessageId, OwnerId, ThreadId, TurnId

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.:@+=-]")
_OWNER_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]")


@lru_cache(maxsize=1024)
def escape(part: str) -> str:
    """Make one part of a key free of separators, reversibly (percent-escaped UTF-8)."""
    if part.isascii() and part.isalnum():
        return part  # most parts are plain ids, and ingest joins several per delivery
    return _UNSAFE.sub(lambda found: "".join(f"%{b:02X}" for b in found[0].encode()), part)


def unescape(part: str) -> str:
    """Undo `escape`."""
    raw = re.sub(rb"%([0-9A-F]{2})", lambda found: bytes([int(found[1], 16)]), part.encode())
    return raw.decode()


def join(parts: Sequence[str]) -> str:
    """Join parts to one key; `split` gives them back."""
    return "/".join(map(escape, parts))


def split(key: str) -> tuple[str, ...]:
    """Take a key apart again."""
    return tuple(unescape(part) for part in key.split("/"))


def mailbox_key(platform: str, app: str, *parts: str) -> MailboxKey:
    """Name a mailbox after what the payload alone tells."""
    return MailboxKey(join((platform, app, *parts)))


def conversation_key(
    platform: str, app: str, workspace: str, chat: str, topic: str
) -> ConversationKey:
    """Name a conversation; "" as topic is the chat's root conversation."""
    return ConversationKey(join((platform, app, workspace, chat, topic)))


def destination_key(platform: str, app: str, workspace: str, chat: str) -> str:
    """Name a chat: where rates apply and open parts stand in order."""
    return join((platform, app, workspace, chat))


def dedupe_key(
    platform: str, app: str, workspace: str, chat: str, message: MessageId, *fan_out: str
) -> str:
    """Name what must not be handled twice: the message, and owner and agent where it fans out."""
    return join((platform, app, workspace, chat, message, *fan_out))


def queue_id(key: str) -> str:
    """Shorten a key to the 128 ASCII characters that queue ids may have."""
    return hashlib.sha256(key.encode()).hexdigest()[:40]


def thread_id(
    namespace: str, owner: OwnerId, conversation: ConversationKey, epoch: str
) -> ThreadId:
    """Derive the agent's thread: unguessable without the installation's random namespace."""
    import uuid  # not on the way of a webhook

    return ThreadId(str(uuid.uuid5(uuid.UUID(namespace), join((owner, conversation, epoch)))))


def owner_id(raw: str) -> OwnerId:
    """Make an id safe as owner: other characters become `-`, with a digest where any changed."""
    safe = _OWNER_UNSAFE.sub("-", raw)
    if safe == raw:
        return OwnerId(raw)
    return OwnerId(f"{safe}-{hashlib.sha256(raw.encode()).hexdigest()[:16]}")


def turn_id(now: float, random: str) -> TurnId:
    """Name a turn so that ids sort by time; `random` makes it unique."""
    return TurnId(f"{int(now * 1000):013d}-{random}")


def part_id(turn: str, number: int) -> str:
    """Name a part of a turn's answer."""
    return f"{turn}#{number:03d}"


def nonce(part: str) -> str:
    """Turn a part id into a platform's idempotency key (32 hex characters)."""
    return hashlib.sha256(part.encode()).hexdigest()[:32]
