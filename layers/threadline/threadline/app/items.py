"""Where each kind of item stands, and its way to and from the store."""

from dataclasses import replace
from typing import Final

from threadline.app import codec
from threadline.core import keys
from threadline.core.ids import ConversationKey, MessageId
from threadline.core.ports import Item, Key
from threadline.core.posting import Destination
from threadline.core.records import (
    Alias,
    Claim,
    Conversation,
    Cooling,
    Forgotten,
    JournalRow,
    Part,
    PartState,
    RunRecord,
    Seen,
    Waiting,
)
from threadline.core.turn import State

DAY: Final = 86_400.0
KEEP_SEEN: Final = 7 * DAY
KEEP_JOURNAL: Final = 14 * DAY
KEEP_SETTLED: Final = 7 * DAY
KEEP_ALIAS: Final = 90 * DAY
KEEP_IDLE_RUN: Final = 7 * DAY
KEEP_FORGOTTEN: Final = 14 * DAY
"""As long as the longest queue keeps what is on its way."""
HOLDER_STALE: Final = 60.0
UPLOADER_STALE: Final = 300.0
LARGE_TEXT: Final = 16_000

CONVERSATION_DUE: Final = "conversation"
OUTBOX_DUE: Final = "outbox"
ATTENTION_DUE: Final = "attention"
DOUBTFUL: Final = frozenset({PartState.UNKNOWN, PartState.FAILED})


def conversation(key: ConversationKey) -> Key:
    """Key of a conversation's turn state."""
    return Key("conversations", key, "conversation")


def waiting(key: ConversationKey, number: int) -> Key:
    """Key of a waiting message."""
    return Key("conversations", key, f"wait#{number:012d}")


def waiting_sort(key: ConversationKey, sort: str) -> Key:
    """Key of a waiting message by its sort key, as a turn names it."""
    return Key("conversations", key, sort)


def run(key: ConversationKey, turn: str) -> Key:
    """Key of what the follower of a turn's run stores."""
    return Key("conversations", key, f"run#{turn}")


def alias(platform: str, app: str, workspace: str, chat: str, message: MessageId) -> Key:
    """Key that tells which conversation a platform's message belongs to."""
    chat_key = keys.destination_key(platform, app, workspace, chat)
    return Key("conversations", f"alias/{chat_key}", f"alias#{message}")


def claim(thread: str) -> Key:
    """Key of the claim on a thread whose id the platform prescribes."""
    return Key("conversations", f"thread/{thread}", "claim")


def claim_item(value: Claim) -> Item:
    """A claim as an item: it stays, like the thread."""
    return Item(claim(value.thread), codec.attributes(value))


def forgotten(namespace: str, key: ConversationKey) -> Key:
    """Key of the mark that a conversation was forgotten; a digest, from which nobody is told."""
    return Key("conversations", f"forgotten/{keys.queue_id(f'{namespace} {key}')}", "forgotten")


def forgotten_item(key: Key, now: float) -> Item:
    """Mark a conversation as forgotten."""
    return Item(key, codec.attributes(Forgotten(now)), expires_at=now + KEEP_FORGOTTEN)


def seen(identity: str) -> Key:
    """Key of the dedupe row of a message identity."""
    return Key("deliveries", f"message/{identity}", "seen")


def journal_partition(delivery: str) -> str:
    """Partition of a delivery's journal."""
    return f"delivery/{delivery}"


def destination_of(to: Destination) -> str:
    """Name the chat of a destination."""
    return keys.destination_key(to.platform, to.app, to.workspace, to.chat)


def cooling(destination: str) -> Key:
    """Key of a destination's time not to post before."""
    return Key("outbox", destination, "live#cooling")


def open_part(part: Part) -> Key:
    """Key of a part that is not settled; sorts in order of planning."""
    place = destination_of(part.destination)
    return Key("outbox", place, f"live#part#{int(part.order * 1000):013d}#{part.id}")


def settled_part(part: Part) -> Key:
    """Key of a settled part; what a post grew into stands beside it, so that none is replaced."""
    kind = "#edit" if part.action == "edit" else ""
    return Key("outbox", destination_of(part.destination), f"done#{part.id}{kind}")


def settled_by_id(to: Destination, part: str) -> Key:
    """Key of a settled post by id."""
    return Key("outbox", destination_of(to), f"done#{part}")


def settled_prefix(turn: str) -> str:
    """Give how the sort keys of a turn's settled parts begin."""
    return f"done#{turn}#"


def conversation_item(value: Conversation, due_at: float | None, now: float) -> Item:
    """Turn state as an item; anything but idle and empty has a due time."""
    times = [value.held_due] if value.held > 0 else []
    if value.state is not State.IDLE or value.waiting > 0:
        times.append(due_at if due_at is not None else now)
    due = (CONVERSATION_DUE, min(times)) if times else None
    own = replace(value, due=due_at or 0.0)
    return Item(conversation(value.key), codec.attributes(own), due=due)


def waiting_item(value: Waiting, key: Key) -> Item:
    """A waiting message as an item."""
    return Item(key, codec.attributes(value))


def run_item(value: RunRecord, now: float) -> Item:
    """What a follower stores, kept a week after the run's end."""
    return Item(
        run(value.conversation, value.turn),
        codec.attributes(value),
        expires_at=now + KEEP_IDLE_RUN,
    )


def alias_item(value: Alias, key: Key, now: float) -> Item:
    """An alias as an item."""
    return Item(key, codec.attributes(value), expires_at=now + KEEP_ALIAS)


def seen_item(value: Seen, now: float) -> Item:
    """A dedupe row as an item."""
    return Item(seen(value.identity), codec.attributes(value), expires_at=now + KEEP_SEEN)


def journal_item(value: JournalRow, unique: str) -> Item:
    """A journal row as an item; `unique` keeps rows of one instant apart."""
    return Item(
        Key(
            "deliveries",
            journal_partition(value.delivery),
            f"journal#{int(value.at * 1000):013d}#{unique}",
        ),
        codec.attributes(value),
        expires_at=value.at + KEEP_JOURNAL,
    )


def part_item(part: Part, now: float) -> Item:
    """An open part as an item, due when somebody else may take it up."""
    stale = now + (UPLOADER_STALE if part.action == "upload" else HOLDER_STALE)
    due_at = max(part.not_before, stale if part.holder else part.not_before, now)
    return Item(open_part(part), codec.attributes(part), due=(OUTBOX_DUE, due_at))


def settled_item(part: Part, now: float) -> Item:
    """A settled part as an item; one whose fate an operator has to decide is due at once.

    What is soon not worth posting is not worth a decision either.
    """
    decided = part.state in DOUBTFUL and part.action == "post" and not part.lapses
    due = (ATTENTION_DUE, now) if decided else None
    return Item(
        settled_part(part), codec.attributes(part), due=due, expires_at=now + KEEP_SETTLED
    )  # fmt: skip


def cooling_item(value: Cooling) -> Item:
    """A destination's cooling as an item that ends by itself."""
    return Item(cooling(value.destination), codec.attributes(value), expires_at=value.until)


def read[T](kind: type[T], item: Item | None) -> T | None:
    """Read an item as a record, None where there is none. Raises Unreadable."""
    return None if item is None else codec.record(kind, item.attributes)
