"""Follow one run: show it growing, read how it ended, hand over when time is short."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Final

from threadline.app import agents, items, lease
from threadline.app.agents import Contact
from threadline.app.bell import Bell
from threadline.app.lease import Lease, Writes
from threadline.app.marking import Marking
from threadline.app.screen import Screen
from threadline.app.trips import Blocking
from threadline.app.world import World
from threadline.core.agent import Outcome, RunStatus, StreamDecoder, StreamEnded, StreamGap
from threadline.core.envelope import FollowRun
from threadline.core.errors import AgentError, AgentRejected, ThreadMissing
from threadline.core.policy import admitted
from threadline.core.reasons import Reason
from threadline.core.records import RunRecord
from threadline.core.visible import Grown, VisibleText

POLL: Final = (1.0, 2.0, 4.0, 8.0, 15.0)
PATIENCE_AFTER_LIMIT: Final = 120.0
LONGEST_REST: Final = 5.0
SILENCE: Final = 30.0


@dataclass(slots=True)
class Following:
    """One run and its follower; `leave_at` is when it hands over at the latest."""

    world: World
    hint: FollowRun
    contact: Contact
    screen: Screen
    lease: Lease
    writes: Writes
    leave_at: float
    visible: VisibleText = VisibleText()
    cursor: str = ""
    bell: Bell = field(default_factory=Bell)
    leaving: bool = False
    ended: bool = False
    dirty: bool = False
    cancelled: bool = False
    renew_at: float = 0.0
    room_at: float = 0.0
    heard_at: float = 0.0
    marking: Marking = field(init=False)

    def __post_init__(self) -> None:
        self.marking = Marking(self.screen)

    async def outcome(self) -> Outcome | None:
        """Follow until the run is over and read its outcome; None where it must be handed over.

        Raises LeaseLost where somebody else follows now.
        """
        try:
            return await self._followed()
        finally:
            await self.marking.end()

    async def _followed(self) -> Outcome | None:
        self.renew_at = lease.next_renewal(self.now())
        self._resume()
        tries = 0
        while True:
            if self.screen.grows and await self._stream():
                tries = 0
            try:
                outcome = await self._outcome()
            except AgentError:
                status = await self._status()
                if status is not None and status.over:
                    return await self._read_outcome(status)
            else:
                if outcome.status.over:
                    return outcome
            await self._keep_limit()
            given_up = self.now() > self.hint.turn.limit_at + PATIENCE_AFTER_LIMIT
            if given_up:
                return Outcome(status=RunStatus.TIMEOUT, error="the agent cannot be asked")
            if not await self._wait(0.2 if self.ended else POLL[min(tries, len(POLL) - 1)]):
                return None
            tries += 1

    def now(self) -> float:
        """Give the time."""
        return self.world.clock.now()

    def hand_over(self) -> None:
        """Ask the follower to leave soon."""
        self.leaving = True
        self.bell.ring()

    def record(self) -> RunRecord:
        """Give what a successor needs; a long text it reads again, from the stream's start."""
        long = len(self.visible.text) > items.LARGE_TEXT
        text = VisibleText() if long else self.visible
        return replace(
            self.lease.record, cursor="" if long else self.cursor,
            visible=text.text, message=text.message, broken=text.broken,
            shown="" if long else self.screen.shown,
            placeholder=self.screen.posted, edits=self.screen.edits,
        )  # fmt: skip

    def over_limit(self) -> bool:
        """Tell whether the turn used up its time."""
        return self.now() >= self.hint.turn.limit_at

    async def goes_on(self) -> bool:
        """Renew the lease where it is time to; tell whether there is time left."""
        if self.now() >= self.renew_at:
            await self._renew()
        return not self._must_leave()

    async def rested(self) -> float:
        """Wait out the chat's pace before the final; give until when it cools if that is long."""
        free_at = self.world.paces.edit_from(self.screen.destination)
        if free_at - self.now() > LONGEST_REST:
            return free_at
        if self.screen.posted is not None:
            await self._wait(free_at - self.now())
        return 0.0

    def _resume(self) -> None:
        """Take up where an earlier holder left; its edits in flight get time to land."""
        record = self.lease.record
        self.cursor = record.cursor
        self.visible = VisibleText(Grown(record.visible), record.message, record.broken)
        self.screen.frozen = record.broken
        self.screen.shown, self.screen.edits = record.shown, record.edits
        self.screen.posted = self.screen.posted or record.placeholder
        self.dirty = self.screen.queued
        if record.lease > 1:
            rested = self.now() + lease.EDIT_NEEDS
            self.screen.not_before = max(self.screen.not_before, rested)

    async def _stream(self) -> bool:
        """Show the stream until it ends, breaks, or we must leave; tell whether anything came."""
        self.ended = False
        before, self.heard_at = self.visible, self.now()
        reader = asyncio.create_task(self._read())
        reader.add_done_callback(lambda _: self.bell.ring())
        try:
            while not (reader.done() or self._must_leave() or self.over_limit() or self._silent()):
                await self._nap()
                await self._tick()
        finally:
            reader.cancel()
            await asyncio.gather(reader, return_exceptions=True)
        if not reader.cancelled() and (error := reader.exception()) is not None:
            if not isinstance(error, AgentError):
                raise error
            self.world.log("stream", turn=self.hint.turn.id, reason=type(error).__name__)
        return self.visible is not before

    async def _read(self) -> None:
        turn, to = self.hint.turn, self.contact
        wanted = to.codec.follow(turn.thread, turn.run, self.cursor, turn.owner, to.access)
        request = admitted(wanted, to.policy)
        if request is None:
            raise AgentRejected("the stream's address is not the agent's")
        decoder = to.codec.decoder(self.cursor)
        await self.world.calls.listen(request, lambda chunk: self._take(decoder, chunk))

    def _take(self, decoder: StreamDecoder, chunk: bytes) -> bool:
        """Take what the stream brought; tell whether it said its end."""
        self.heard_at = self.now()
        events = decoder.feed(chunk)
        self.cursor = decoder.cursor
        if not events:
            return False
        self.visible = self.visible.after(events)
        for event in events:
            self.ended = self.ended or isinstance(event, StreamEnded)
            self.screen.frozen = self.screen.frozen or isinstance(event, StreamGap)
        if not self.dirty:
            self.dirty = True
            self.room_at = self.world.paces.room(self.heard_at)
            self.bell.ring()
        return self.ended

    async def _nap(self) -> None:
        """Sleep until something is due or somebody rings."""
        due = min(self.renew_at, self.hint.turn.limit_at, self.leave_at, self.heard_at + SILENCE)
        if self.dirty:
            due = min(due, self._show_at())
        await self.bell.rest(min(due, self.marking.due) - self.now())

    async def _tick(self) -> None:
        now = self.now()
        self.marking.keep(now)
        if now >= self.renew_at:
            await self._renew()
        if self.dirty and now >= self._show_at():
            self.dirty = False
            if self.screen.wants(self.visible.text):
                await self.screen.show(self.visible.text, self.lease)

    def _show_at(self) -> float:
        """Give when the text may be shown: the chat has its pace, and so has this process."""
        return max(self.screen.next_at(), self.room_at)

    async def _renew(self) -> None:
        self.renew_at = lease.next_renewal(self.now())
        self.lease = await lease.renewed(self.world, self.writes, self.lease, self.record())

    async def _wait(self, seconds: float) -> bool:
        """Wait, renewing the lease; tell whether to go on."""
        until = self.now() + seconds
        while not self._must_leave():
            now = self.now()
            if now >= until:
                return True
            self.marking.keep(now)
            if now >= self.renew_at:
                await self._renew()
            due = min(until, self.renew_at, self.leave_at, self.marking.due)
            await self.bell.rest(due - now)
        return False

    def _silent(self) -> bool:
        """Tell whether the stream was silent for so long that the status is worth a look."""
        return self.now() - self.heard_at >= SILENCE

    def _must_leave(self) -> bool:
        return self.leaving or self.now() >= self.leave_at

    async def _status(self) -> RunStatus | None:
        """Read where the run stands; None where the agent cannot be asked just now."""
        turn, to = self.hint.turn, self.contact
        flow = to.codec.status(turn.thread, turn.run, turn.owner, to.access)
        try:
            return await self.world.calls.arun(to.under_policy(flow))
        except ThreadMissing:
            return RunStatus.MISSING
        except AgentError:
            return None

    async def _read_outcome(self, status: RunStatus) -> Outcome | None:
        for wait in (*POLL, None):
            try:
                return await self._outcome()
            except ThreadMissing:
                return Outcome(status=RunStatus.MISSING)
            except AgentRejected as error:
                return Outcome(status=RunStatus.ERROR, error=str(error))
            except AgentError as error:
                if wait is None:
                    return Outcome(
                        status=RunStatus.MISSING if status is RunStatus.SUCCESS else status,
                        error=str(error),
                    )
            if not await self._wait(wait or 0.0):
                return None
        raise AssertionError

    async def _outcome(self) -> Outcome:
        """Ask in one go whether the run is over and how it ended. Raises AgentError."""
        turn, to = self.hint.turn, self.contact
        flow = to.codec.outcome(turn.thread, turn.run, turn.id, turn.owner, to.access)
        return await self.world.calls.arun(to.under_policy(flow))

    async def _keep_limit(self) -> None:
        """Cancel a run that used up its time, once."""
        if not self.over_limit() or self.cancelled:
            return
        turn, to = self.hint.turn, self.contact
        flow = to.codec.cancel(turn.thread, turn.run, turn.owner, to.access)
        try:
            await self.world.calls.arun(to.under_policy(flow))
        except AgentError as error:
            self.world.log("cancel", turn=turn.id, reason=type(error).__name__)
        else:
            self.cancelled = True
            self.world.log("step", step=str(Reason.TIME_LIMIT), turn=turn.id)


async def contact_of(world: World, hint: FollowRun, blocking: Blocking) -> Contact:
    """Find the agent of a hint's turn without blocking the loop."""
    return await blocking(lambda: agents.contact(world, world.settings(), hint.turn.agent))
