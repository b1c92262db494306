"""Post what the ledger plans at a destination: in order, not before the chat may be written to."""

from typing import Final

from threadline.app import ledger
from threadline.app.ledger import Entry
from threadline.app.plan import send as send_messages
from threadline.app.sending import SENDING_TIMEOUT, UPLOADING_TIMEOUT, take_up
from threadline.app.world import World
from threadline.core.envelope import FlushOutbox, Timer
from threadline.core.errors import Conflict
from threadline.core.records import Part

MOST_AT_ONCE: Final = 100
BUDGET: Final = 25.0
"""Seconds after which a flush makes room for the next one, its function's time being limited."""


def flush(world: World, destination: str) -> None:
    """Post whatever may be posted now at a destination.

    Whoever puts a part off sets its timer; a flush that met only that sets none of its own, or each
    sweep would add one. Before its own time is up it leaves the rest to another hint.
    """
    begun, moved = world.clock.now(), False
    for _ in range(MOST_AT_ONCE):
        now = world.clock.now()
        live = ledger.live(world, destination)
        if not live.entries:
            return
        if live.cooling_until > now:
            if (open_from := world.paces.open_from(destination)) > now:
                _timer(world, destination, open_from)
            return
        entry, again_at = _next(live.entries, now)
        if entry is None:
            if again_at and moved:
                _timer(world, destination, again_at)
            return
        if now - begun > BUDGET:
            _timer(world, destination, now)
            return
        try:
            sent = take_up(world, entry)
        except Conflict:
            return
        moved = True
        if sent.cooling:
            _timer(world, destination, sent.again_at)
            return


def _next(entries: tuple[Entry, ...], now: float) -> tuple[Entry | None, float]:
    """Give the first part that may be taken up now, else when the earliest one may be."""
    blocked: set[str] = set()
    again_at = 0.0
    for entry in entries:
        part = entry.part
        if part.conversation in blocked:
            continue
        free_at = _free_at(part)
        if free_at <= now:
            return entry, 0.0
        if ledger.holds_up(part):
            blocked.add(part.conversation)
        again_at = min(again_at or free_at, free_at)
    return None, again_at


def _free_at(part: Part) -> float:
    if part.holder:
        return part.moved_at + (UPLOADING_TIMEOUT if ledger.is_upload(part) else SENDING_TIMEOUT)
    return part.not_before


def _timer(world: World, destination: str, at: float) -> None:
    now = world.clock.now()
    timer = Timer(at=at, mail=FlushOutbox(destination=destination))
    send_messages(world, now, [], [], [timer])
