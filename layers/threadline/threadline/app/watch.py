"""Follow runs, many at once, and fetch files; the queue only hints, the lease decides."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from threadline.app import closing, codec, fetching, handing, items, lease, ledger, sending
from threadline.app.codec import Unreadable
from threadline.app.following import Following, contact_of
from threadline.app.lease import Gone, Held, Lease, Over, Writes
from threadline.app.ledger import Entry, Live
from threadline.app.plan import send
from threadline.app.screen import Screen
from threadline.app.trips import Blocking, Trips, in_thread
from threadline.app.world import World
from threadline.core.envelope import FollowRun, Timer
from threadline.core.errors import AgentRejected, LeaseLost
from threadline.core.platform import Platform
from threadline.core.ports import Change, Delete
from threadline.core.posting import Receipt, Reply, Tone
from threadline.core.reasons import Reason
from threadline.core.records import Part, PartState
from threadline.core.settings import ReplyMode
from threadline.core.texts import say

FOREVER: Final = float("inf")
WAITS_FOR_OTHERS: Final = 5.0
"""Seconds a growing answer leaves to what waits to be said in the chat."""
HINTS_TOGETHER: Final = 10


@dataclass(slots=True)
class Watch:
    """Follows what it is hinted; `leave_at` is when everything is handed over (a deadline).

    `blocking` runs what begins and ends a run, which may take seconds; `renewing` what holds the
    leases, which must not wait for that.
    """

    world: World
    blocking: Blocking = in_thread
    renewing: Blocking = in_thread
    leave_at: float = FOREVER
    writes: Writes = field(init=False)
    successors: Trips[FollowRun, None] = field(init=False)
    taken: set[str] = field(default_factory=set)
    followed: dict[str, Following] = field(default_factory=dict)
    leaving: bool = False

    def __post_init__(self) -> None:
        self.writes = lease.writes_of(self.world, self.renewing)
        self.successors = Trips(self._hint, self.renewing, HINTS_TOGETHER)

    async def follow(self, body: str) -> None:
        """Follow one hint until its run needs no more following; bad input is logged and dropped.

        Raises StoreError where the hint shall come back.
        """
        try:
            hint = codec.decode(body)
        except Unreadable as error:
            self.world.log("step", step=str(Reason.UNREADABLE), detail=str(error))
            return
        del body  # what is followed may last for hours
        if not isinstance(hint, FollowRun):
            return
        if hint.job == "fetch":
            await fetching.fetch(self.world, hint, self.blocking)
        elif hint.turn.id not in self.taken:
            self.taken.add(hint.turn.id)
            try:
                await self._follow(hint)
            finally:
                self.taken.discard(hint.turn.id)

    def hand_over(self) -> None:
        """Ask every follower to store its cursor and leave."""
        self.leaving = True
        for run in tuple(self.followed.values()):
            run.hand_over()

    async def _follow(self, hint: FollowRun) -> None:
        platform = self.world.platform(hint.turn.destination.platform)
        if platform is None:
            self.world.log("step", step=str(Reason.NO_ROUTE), turn=hint.turn.id)
            return
        taken = await self.blocking(lambda: _take(self.world, hint, platform))
        if taken.lease is None:
            return
        try:
            run = await self._run(hint, platform, taken.lease, taken.posted)
        except AgentRejected as error:
            held = taken.lease
            self.world.log("lease", turn=hint.turn.id, state="no agent", reason=str(error)[:80])
            await lease.handed_over(self.world, self.writes, held, held.record)
            return
        if taken.live.entries or taken.live.cooling_until > run.now():
            run.screen.not_before = max(taken.live.cooling_until, run.now() + WAITS_FOR_OTHERS)
        place = run.screen.destination
        self.followed[hint.turn.id] = run
        if self.leaving:
            run.hand_over()  # asked while it was being prepared
        self.world.paces.begin(place)
        try:
            await self._until_closed(run)
        except LeaseLost:
            self.world.log("lease", turn=hint.turn.id, state="lost")
        finally:
            del self.followed[hint.turn.id]
            self.world.paces.end(place)

    async def _run(
        self, hint: FollowRun, platform: Platform, held: Lease, posted: Receipt | None
    ) -> Following:
        waits = bool(hint.turn.queued_part) and not held.record.shown
        screen = Screen(self.world, platform, hint, self.blocking, posted, queued=waits)
        contact = await contact_of(self.world, hint, self.blocking)
        run = Following(
            self.world, hint, contact, screen, held, self.writes, self.leave_at,
            leaving=self.leaving,
        )  # fmt: skip
        if held.record.lease == 1 and hint.turn.reply is not ReplyMode.LOG:
            await run.marking.begin(run.now())
        return run

    async def _until_closed(self, run: Following) -> None:
        outcome = await run.outcome()
        files = None if outcome is None else await handing.brought(run, outcome)
        if outcome is None or files is None:
            await self._hand_over(run)
            return
        cooling = await run.rested()
        ending = await self.blocking(lambda: closing.close(run, outcome, files, cooling))
        await run.screen.mark(ending.stage)

    async def _hand_over(self, run: Following) -> None:
        """Store how far we came, give the lease back, hint a successor."""
        given = await lease.handed_over(self.world, self.writes, run.lease, run.record())
        await self.successors.take(replace(run.hint, observed=given.version))
        self.world.log("lease", turn=run.hint.turn.id, state="handed over")

    def _hint(self, successors: Sequence[FollowRun]) -> Sequence[None]:
        send(self.world, self.world.clock.now(), [], [*successors], [])
        return [None] * len(successors)


@dataclass(slots=True)
class _Taken:
    """What taking a run gave: the lease, the first sign of life, the chat as it was."""

    lease: Lease | None = None
    posted: Receipt | None = None
    live: Live = Live(0.0, ())


def _take(world: World, hint: FollowRun, platform: Platform) -> _Taken:
    """Take the lease and post the first sign of life, or leave the run to its holder."""
    taken = _Taken()
    taken.live = ledger.live(world, items.destination_of(hint.turn.destination))
    if hint.observed == 0:
        sign = _first_sign(world, hint, platform, taken)
        changes = ledger.planned([sign], world.clock.now()) if sign else []
        match lease.first(world, hint, [*changes, *_without_queued(hint, taken.live)]):
            case Lease() as held:
                taken.lease = held
                if sign is not None:
                    taken.posted = _post_sign(world, sign)
                return taken
            case Gone():
                world.log("step", step=str(Reason.NOT_CURRENT), turn=hint.turn.id)
                return taken
    match lease.take_over(world, hint):
        case Lease() as held:
            taken.lease = held
            taken.posted = held.record.placeholder or closing.sign_of(world, hint)
        case Gone():
            world.log("step", step=str(Reason.NOT_CURRENT), turn=hint.turn.id)
        case Over(record):
            closing.tell(world, hint, record)
        case Held(silent=False):
            pass  # somebody follows; if that ends, the sweep finds it
        case Held(version):
            again = FollowRun(
                conversation=hint.conversation, mailbox=hint.mailbox, turn=hint.turn,
                topic=hint.topic, observed=version,
            )  # fmt: skip
            now = world.clock.now()
            send(world, now, [], [], [Timer(at=now + lease.LENGTH, mail=again)])
    return taken


def _first_sign(world: World, hint: FollowRun, platform: Platform, taken: _Taken) -> Part | None:
    """Make the first sign of life where the platform wants one and the chat is free for it."""
    turn = hint.turn
    if turn.reply is not ReplyMode.CHAT or not platform.traits.placeholder:
        return None
    if turn.queued_part:
        item = world.store.get([items.settled_by_id(turn.destination, turn.queued_part)])[0]
        shown = items.read(Part, item)
        if shown is not None and shown.state is PartState.SENT:
            taken.posted = shown.receipt
            return None
        taken.posted = _in_doubt(world, turn.queued_part, taken.live)
        if taken.posted is not None:
            return None
    waits = [
        entry for entry in taken.live.entries
        if entry.part.conversation == hint.conversation and entry.part.id != turn.queued_part
        and ledger.holds_up(entry.part)
    ]  # fmt: skip
    if waits or taken.live.cooling_until > world.clock.now():
        return None
    draft = platform.render(Reply(say("working", world.settings().language), Tone.PROGRESS))[0]
    return closing.first_sign(world, hint, draft)


def _in_doubt(world: World, sign: str, live: Live) -> Receipt | None:
    """Look for a sign of waiting whose poster never said whether it stands."""
    for entry in live.entries:
        if entry.part.id == sign and entry.part.state is PartState.SENDING:
            found = sending.look_up(world, entry.part)
            return found if isinstance(found, Receipt) else None
    return None


def _without_queued(hint: FollowRun, live: Live) -> list[Change]:
    """Take back a sign of waiting that was never posted."""
    return [
        Delete(items.open_part(entry.part), entry.version)
        for entry in live.entries
        if hint.turn.queued_part == entry.part.id and entry.part.state is PartState.PLANNED
    ]


def _post_sign(world: World, sign: Part) -> Receipt | None:
    """Post the first sign of life; one that cannot go now is given up, not posted late.

    One that may stand in the chat stays in the ledger until that is known.
    """
    sent = sending.send(world, Entry(sign, 1))
    if sent.again_at and sent.part.state is not PartState.SENDING:
        world.store.write([Delete(items.open_part(sent.part), 2)])
    return sent.part.receipt if sent.part.state is PartState.SENT else None
