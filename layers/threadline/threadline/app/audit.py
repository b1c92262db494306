"""What an operator did by hand, kept beside the journals."""

from dataclasses import dataclass

from threadline.app import codec, items
from threadline.core.ports import Expect, Item, ItemStore, Key, Put
from threadline.core.records import Facts

PARTITION = "audit"


@dataclass(frozen=True, slots=True)
class Hand:
    """Whose hand it was, and what keeps rows of one instant apart."""

    by: str
    unique: str


def row(action: str, at: float, hand: Hand, **values: str) -> Put:
    """Give the change that leaves an audit row."""
    key = Key("deliveries", PARTITION, f"audit#{int(at * 1000):013d}#{hand.unique}")
    facts = Facts(action, at, hand.by, values)
    return Put(
        Item(key, codec.attributes(facts), expires_at=at + items.KEEP_JOURNAL), Expect.ABSENT
    )  # fmt: skip


def rows(store: ItemStore) -> tuple[Facts, ...]:
    """Read the audit rows, oldest first."""
    stored = store.query("deliveries", PARTITION, "audit#", limit=1000)
    return tuple(codec.record(Facts, item.attributes) for item in stored)
