"""The ledger of what is said: planned → sending → sent | unknown | failed, each step a write."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from threadline.app import codec, items
from threadline.app.world import World
from threadline.core.ids import MessageId
from threadline.core.ports import Change, Delete, Expect, Item, Put
from threadline.core.posting import Receipt
from threadline.core.records import Alias, Cooling, JournalRow, Part, PartState

PREFIX: Final = "live#"
MOST_OPEN: Final = 100
REPEAT: Final = 999
"""Number of a final edit that is applied once more: nothing waits for it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An open part and the version its next write is fenced by."""

    part: Part
    version: int


@dataclass(frozen=True, slots=True)
class Live:
    """What one read told about a destination: until when it cools, and its open parts in order."""

    cooling_until: float
    entries: tuple[Entry, ...]

    def waits_before(self, conversation: str) -> bool:
        """Tell whether a part of this conversation is still open."""
        return any(
            entry.part.conversation == conversation and holds_up(entry.part)
            for entry in self.entries
        )


def holds_up(part: Part) -> bool:
    """Tell whether what comes after a part in its conversation waits for it."""
    return part.number != REPEAT and not is_upload(part)


def is_upload(part: Part) -> bool:
    """Tell whether a part is a file, which takes its time."""
    return part.action == "upload"


def live(world: World, destination: str) -> Live:
    """Read a destination's open parts and cooling."""
    until = world.paces.open_from(destination)
    entries = []
    for item in world.store.query("outbox", destination, PREFIX, limit=MOST_OPEN):
        if item.key.sort.endswith("#cooling"):
            until = max(until, codec.record(Cooling, item.attributes).until)
        else:
            entries.append(Entry(codec.record(Part, item.attributes), item.version))
    return Live(until, tuple(entries))


def claimed(part: Part, holder: str, now: float) -> Part:
    """Give the part as its poster holds it."""
    return replace(
        part, state=PartState.SENDING, holder=holder, tries=part.tries + 1, moved_at=now
    )  # fmt: skip


def claim(world: World, entry: Entry) -> Entry:
    """Take a part for posting. Raises Conflict where somebody else did."""
    now = world.clock.now()
    part = claimed(entry.part, world.holder, now)
    world.store.write([Put(items.part_item(part, now), entry.version)])
    return Entry(part, entry.version + 1)


def settled(world: World, entry: Entry, after: Part) -> list[Change]:
    """Give the changes that settle a part, with its journal row and its alias."""
    now = world.clock.now()
    part = replace(after, moved_at=now, holder="")
    changes: list[Change] = [
        Delete(items.open_part(entry.part), entry.version),
        Put(items.settled_item(part, now), Expect.ANY),
    ]
    if part.delivery:
        step = f"{part.action} {part.state}"
        row = JournalRow(
            delivery=part.delivery, at=now, step=step, detail=part.reason or _place(part),
            conversation=part.conversation, turn=part.turn,
        )  # fmt: skip
        changes.append(Put(items.journal_item(row, world.random()), Expect.ANY))
    if part.receipt is not None and part.alias and part.action == "post":
        changes.append(Put(_alias(part, part.receipt, now), Expect.ANY))
    return changes


def postponed(
    world: World,
    entry: Entry,
    until: float,
    why: str,
    state: PartState = PartState.PLANNED,
) -> list[Change]:
    """Give the changes that put a part back into the ledger, not before `until`."""
    now = world.clock.now()
    part = replace(entry.part, state=state, holder="", not_before=until, reason=why, moved_at=now)
    return [Put(items.part_item(part, now), entry.version)]


def cooling(destination: str, until: float) -> Change:
    """Give the change that keeps everybody from posting there before `until`."""
    return Put(items.cooling_item(Cooling(destination, until)), Expect.ANY)


def sent(part: Part, receipt: Receipt) -> Part:
    """Give the part as posted."""
    return replace(part, state=PartState.SENT, receipt=receipt, reason="")


def unknown(part: Part, why: str) -> Part:
    """Give the part whose post may or may not stand: never sent again blindly."""
    return replace(part, state=PartState.UNKNOWN, reason=why)


def failed(part: Part, why: str) -> Part:
    """Give the part that will not be posted."""
    return replace(part, state=PartState.FAILED, reason=why)


def planned(parts: Sequence[Part], now: float) -> list[Change]:
    """Give the changes that put new parts into the ledger."""
    return [Put(items.part_item(part, now), Expect.ABSENT) for part in parts]


def _alias(part: Part, receipt: Receipt, now: float) -> Item:
    to = part.destination
    key = items.alias(to.platform, to.app, to.workspace, to.chat, MessageId(receipt.id))
    alias = Alias(MessageId(receipt.id), part.conversation, part.mailbox, part.alias)
    return items.alias_item(alias, key, now)


def _place(part: Part) -> str:
    return f"message {part.receipt.id}" if part.receipt else ""
