"""Parts whose fate an operator has to decide: their post is unknown, or was refused."""

from dataclasses import dataclass, replace
from enum import StrEnum

from threadline.app import audit, codec, items
from threadline.app.audit import Hand
from threadline.core.envelope import FlushOutbox
from threadline.core.errors import ThreadlineError
from threadline.core.ports import (
    Change,
    Clock,
    Delete,
    Expect,
    Item,
    ItemStore,
    Key,
    Outgoing,
    Put,
    Queue,
)
from threadline.core.records import Part, PartState

MOST = 1000


class Decision(StrEnum):
    """What the operator says of a part: it stands, post it again, or leave it."""

    SENT = "sent"
    AGAIN = "again"
    DROP = "drop"


@dataclass(frozen=True, slots=True)
class Doubt:
    """A part to be decided, and its item."""

    part: Part
    item: Item


def doubts(store: ItemStore, now: float) -> tuple[Doubt, ...]:
    """List the parts that wait for a decision, oldest first."""
    found = store.due(items.ATTENTION_DUE, now + 1.0, MOST)
    return tuple(Doubt(codec.record(Part, item.attributes), item) for item in found)


def resolve(
    store: ItemStore, outbox: Queue, clock: Clock, part: str, decision: Decision, hand: Hand
) -> Part:
    """Carry out a decision and leave an audit row. Raises ThreadlineError for an unknown part."""
    now = clock.now()
    for doubt in doubts(store, now):
        if doubt.part.id == part:
            break
    else:
        raise ThreadlineError(f"no part {part} waits for a decision")
    decided = _decided(doubt.part, decision, now)
    store.write(
        [
            *_changes(doubt.item.key, doubt.item.version, decided, now),
            audit.row(f"outbox {decision}", now, hand, part=part),
        ]
    )
    if decision is Decision.AGAIN:
        place = items.destination_of(decided.destination)
        outbox.send([Outgoing(codec.encode(FlushOutbox(destination=place)))])
    return decided


def _decided(part: Part, decision: Decision, now: float) -> Part:
    match decision:
        case Decision.SENT:
            return replace(part, state=PartState.SENT, reason="seen by the operator", moved_at=now)
        case Decision.AGAIN:
            return replace(
                part, state=PartState.PLANNED, reason="", moved_at=now, order=now, not_before=0.0,
                window_ends=0.0, lapses=0.0, tries=0,
            )  # fmt: skip
        case Decision.DROP:
            return replace(part, reason=f"dropped: {part.reason}", moved_at=now)


def _changes(key: Key, version: int, part: Part, now: float) -> list[Change]:
    if part.state is PartState.PLANNED:
        return [Delete(key, version), Put(items.part_item(part, now), Expect.ABSENT)]
    settled = Item(key, codec.attributes(part), expires_at=now + items.KEEP_SETTLED)
    return [Put(settled, version)]
