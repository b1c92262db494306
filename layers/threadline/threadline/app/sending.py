"""Post one part of the ledger, once: claim it, send it, and write down what became of it."""

from dataclasses import dataclass, replace
from typing import Final

from threadline.app import items, ledger, pace, posting, unsent
from threadline.app.ledger import Entry
from threadline.app.world import World
from threadline.core.errors import (
    Conflict,
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    PostUnknown,
    RateLimited,
)
from threadline.core.platform import Edits
from threadline.core.ports import Delete, Put
from threadline.core.posting import Receipt
from threadline.core.reasons import Reason
from threadline.core.records import Part, PartState
from threadline.core.turn import retry_delay

SENDING_TIMEOUT: Final = 60.0
UPLOADING_TIMEOUT: Final = 300.0
"""Seconds after which a file's poster counts as dead; its function has no longer."""
GIVE_UP_AFTER: Final = 86_400.0
LONGEST_REST: Final = 5.0


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a part that was sent: settled, or to be tried again at `again_at`.

    A part to be tried again is as it stands in the ledger: `sending` where it may have been posted.
    `cooling`: the whole chat has to wait until then. `following`: the next part, claimed with it.
    """

    part: Part
    again_at: float = 0.0
    cooling: bool = False
    following: Entry | None = None


def take_up(world: World, entry: Entry) -> Sent:
    """Claim a part and send it; one whose poster died is looked up first where that is possible."""
    entry = Entry(_in_place(world, entry.part), entry.version)
    part = entry.part
    lost = part.state is PartState.SENDING
    if part.lapses and world.clock.now() > part.lapses:
        return _lapse(world, entry, lost=lost)
    if lost and not _may_repeat(world, part):
        found = look_up(world, part)
        if found is None:
            return settle(world, entry, ledger.unknown(part, "its poster ended while posting"))
        if isinstance(found, Receipt):
            return settle(world, entry, ledger.sent(part, found))
    now = world.clock.now()
    if part.window_ends and now > part.window_ends:
        return settle(world, entry, ledger.failed(part, Reason.WINDOW_CLOSED))
    if ledger.is_upload(part) and now - part.order > GIVE_UP_AFTER:
        return settle(world, entry, ledger.failed(part, "it is too old"))
    return send(world, ledger.claim(world, entry))


def _lapse(world: World, entry: Entry, *, lost: bool) -> Sent:
    """Leave a sign unposted that comes too late; one that may stand there is looked for."""
    found = look_up(world, entry.part) if lost else None
    if isinstance(found, Receipt):
        return settle(world, entry, ledger.sent(entry.part, found))
    world.store.write([Delete(items.open_part(entry.part), entry.version)])
    return Sent(entry.part)


def send(world: World, entry: Entry, following: Part | None = None) -> Sent:
    """Send a claimed part and write down what became of it, claiming `following` with it."""
    part = entry.part
    place, each = items.destination_of(part.destination), _interval(world, part)
    if part.action == "edit":
        _rest(world, place)
    try:
        receipt = world.calls.run(posting.posting(world, part))
    except RateLimited as error:
        return _cool(world, entry, error)
    except PlatformUnavailable as error:
        return _postpone(world, entry, str(error))
    except PostUnknown as error:
        return _unsure(world, entry, str(error), following)
    except ConversationGone as error:
        if part.action == "edit" and part.number != ledger.REPEAT:
            return _anew(world, entry)
        return settle(world, entry, ledger.failed(part, _why(world, part, error)), following)
    except PostError as error:
        return settle(world, entry, ledger.failed(part, _why(world, part, error)), following)
    if part.action == "edit":
        world.paces.edited(place, world.clock.now(), each)
    return settle(world, entry, ledger.sent(part, receipt), following)


def _in_place(world: World, part: Part) -> Part:
    """Make a part that takes the place of another an edit of its post, where that one stands."""
    if not part.over or part.target is not None:
        return part
    if not isinstance(world.platform(part.destination.platform), Edits):
        return part
    place, sort = items.destination_of(part.destination), f"done#{part.over}"
    for item in world.store.query("outbox", place, sort, limit=1):
        stands = items.read(Part, item)
        if stands is not None and stands.receipt is not None:
            return replace(part, action="edit", target=stands.receipt)
    return part


def _anew(world: World, entry: Entry) -> Sent:
    """Post what can no longer be edited in: somebody removed the post it grew in."""
    now = world.clock.now()
    part = replace(
        entry.part, action="post", target=None, over="", state=PartState.PLANNED, holder="",
        moved_at=now,
    )  # fmt: skip
    world.store.write([Put(items.part_item(part, now), entry.version)])
    return Sent(part, now)


def _why(world: World, part: Part, error: PostError) -> str:
    """Give the reason code of a post that will not be made; bad credentials are an alarm."""
    match error:
        case ConversationGone():
            code = Reason.CONVERSATION_GONE
        case CredentialsRejected():
            code = Reason.CREDENTIALS
            world.log("alarm", reason=str(code), platform=part.destination.platform)
        case _:
            code = Reason.POST_REJECTED
    return f"{code}: {error}"


def settle(world: World, entry: Entry, after: Part, following: Part | None = None) -> Sent:
    """Write a part's end, and the claim of the one that follows where nobody else has it."""
    changes = [*ledger.settled(world, entry, after), *unsent.told(world, after)]
    world.log(
        "part", state=str(after.state), action=after.action, turn=after.turn, number=after.number,
        platform=after.destination.platform, reason=after.reason,
    )  # fmt: skip
    if following is not None:
        now = world.clock.now()
        claimed = ledger.claimed(following, world.holder, now)
        try:
            world.store.write([*changes, Put(items.part_item(claimed, now), 1)])
        except Conflict as conflict:
            if any(sort == items.open_part(entry.part).sort for sort in conflict.failed):
                raise
        else:
            return Sent(after, following=Entry(claimed, 2))
    world.store.write(changes)
    return Sent(after)


def _may_repeat(world: World, part: Part) -> bool:
    """Tell whether sending again does no harm: edits, marks, and posts under a known nonce.

    Where the platform forgets its nonces, a part is young enough by when it was planned.
    """
    platform = world.platform(part.destination.platform)
    if part.action in {"edit", "signal"}:
        return True
    if platform is None or not platform.traits.dedupes_posts:
        return False
    window = platform.traits.dedupe_window
    return not window or world.clock.now() - part.order < window - SENDING_TIMEOUT


def look_up(world: World, part: Part) -> Receipt | bool | None:
    """Look for a lost post: its receipt, True where it certainly does not stand, None unknown."""
    try:
        flow = posting.looking_up(world, part)
        if flow is None:
            return None
        return world.calls.run(flow) or True
    except PostError:
        return None


def _unsure(world: World, entry: Entry, why: str, following: Part | None) -> Sent:
    """Settle a post whose answer was lost, after looking it up or repeating it where harmless."""
    part = entry.part
    if _may_repeat(world, part):
        return _postpone(world, entry, why, PartState.SENDING)
    found = look_up(world, part)
    if isinstance(found, Receipt):
        return settle(world, entry, ledger.sent(part, found), following)
    if found is True:
        return _postpone(world, entry, why)
    world.log("alarm", reason=str(Reason.UNKNOWN), turn=part.turn, number=part.number)
    return settle(world, entry, ledger.unknown(part, why), following)


def _cool(world: World, entry: Entry, refusal: RateLimited) -> Sent:
    until = world.clock.now() + refusal.after
    place, each = items.destination_of(entry.part.destination), _interval(world, entry.part)
    world.paces.cooled(place, until, each, everywhere=refusal.everywhere)
    world.store.write(
        [
            *ledger.postponed(world, entry, until, Reason.COOLING),
            ledger.cooling(place, until),
        ]
    )
    return Sent(replace(entry.part, state=PartState.PLANNED), until, cooling=True)


def _rest(world: World, place: str) -> None:
    """Wait out the chat's pace where that is short; a longer one is found in the store."""
    rest = world.paces.edit_from(place) - world.clock.now()
    if 0 < rest <= LONGEST_REST:
        world.clock.sleep(rest)


def _interval(world: World, part: Part) -> float:
    platform = world.platform(part.destination.platform)
    return pace.interval(platform.traits, part.destination) if platform else 0.0


def _postpone(world: World, entry: Entry, why: str, state: PartState = PartState.PLANNED) -> Sent:
    """Put the part back; one that stays `sending` may stand in the chat already."""
    now = world.clock.now()
    if now - entry.part.order > GIVE_UP_AFTER:
        return settle(world, entry, ledger.failed(entry.part, why))
    until = now + retry_delay(entry.part.tries)
    world.store.write(ledger.postponed(world, entry, until, why, state))
    return Sent(replace(entry.part, state=state), until)
