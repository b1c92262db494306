"""What people see of a run while it goes on: one post that is edited, within the chat's rate."""

import asyncio
from dataclasses import dataclass, replace

from threadline.app import answer, items, ledger, pace, posting
from threadline.app.lease import EDIT_NEEDS, Lease
from threadline.app.trips import Blocking
from threadline.app.world import World
from threadline.core.envelope import FollowRun
from threadline.core.errors import PostError, RateLimited
from threadline.core.platform import Edits, Platform, Signals
from threadline.core.posting import Receipt, Reply, Stage, Tone
from threadline.core.reasons import Reason
from threadline.core.settings import ReplyMode
from threadline.core.texts import say

EDIT_TIMEOUT = 8.0


@dataclass(slots=True)
class Screen:
    """The visible side of one followed run; `queued`: the post still says that it waits."""

    world: World
    platform: Platform
    hint: FollowRun
    blocking: Blocking
    posted: Receipt | None = None
    shown: str = ""
    not_before: float = 0.0
    edits: int = 0
    frozen: bool = False
    uncertain: bool = False
    queued: bool = False

    @property
    def destination(self) -> str:
        """The chat, as rates know it."""
        return items.destination_of(self.hint.turn.destination)

    @property
    def grows(self) -> bool:
        """Whether the answer grows in the chat while the run goes on."""
        return (
            self.hint.turn.reply is ReplyMode.CHAT
            and isinstance(self.platform, Edits)
            and self.posted is not None
        )

    def next_at(self) -> float:
        """Give when the text may be shown next."""
        return max(self.not_before, self.world.paces.growth_from(self.destination))

    def wants(self, text: str) -> bool:
        """Tell whether the text differs from what stands in the chat."""
        if self.frozen or not self.grows:
            return False
        reply = self._reply(text)
        return reply is not None and reply.markdown != self.shown

    async def show(self, text: str, lease: Lease) -> None:
        """Edit the post to the text; trouble only costs this edit, never the answer."""
        now = self.world.clock.now()
        reply = self._reply(text)
        if reply is None or self.posted is None or lease.left(now) < EDIT_NEEDS:
            return
        platform = self.platform
        if not isinstance(platform, Edits):
            return
        to = self.hint.turn.destination
        draft, posted = replace(platform.render(reply)[0], at=now), self.posted
        flow = posting.acting(
            self.world, to, lambda _, using: platform.edit(draft, posted, to, using)
        )
        try:
            await asyncio.wait_for(self.world.calls.arun(flow), EDIT_TIMEOUT)
        except RateLimited as error:
            until = self.world.clock.now() + error.after
            each = pace.interval(platform.traits, to)
            self.world.paces.cooled(self.destination, until, each, everywhere=error.everywhere)
            cooling = ledger.cooling(self.destination, until)
            await self.blocking(lambda: self.world.store.write([cooling]))
        except (PostError, TimeoutError) as error:
            self.uncertain = self.uncertain or isinstance(error, TimeoutError)
            self.world.log("edit", turn=self.hint.turn.id, reason=type(error).__name__)
        else:
            self.shown, self.queued = reply.markdown, False
            if answer.progress(text) is not None:
                self.edits += 1
                if self.edits == 1:
                    self._first_text()
        finally:
            now, each = self.world.clock.now(), pace.interval(platform.traits, to)
            self.world.paces.edited(self.destination, now, each)

    def _reply(self, text: str) -> Reply | None:
        """Give what is to be shown: before any text, that work began where the post denies it."""
        reply = answer.progress(text)
        if reply is None and self.queued:
            return Reply(say("working", self.world.settings().language), Tone.PROGRESS)
        return reply

    def _first_text(self) -> None:
        turn = self.hint.turn
        self.world.log(
            "step", step=str(Reason.FIRST_TEXT), turn=turn.id, conversation=self.hint.conversation,
            seconds=round(self.world.clock.now() - turn.accepted_at, 3),
        )  # fmt: skip

    async def mark(self, stage: Stage) -> bool:
        """Mark the message with a stage where the platform can; tell whether it was asked to.

        Trouble is only logged.
        """
        platform, to = self.platform, self.hint.turn.destination
        if not isinstance(platform, Signals) or stage not in platform.stages or not to.anchor:
            return False
        if self.world.paces.open_from(self.destination) > self.world.clock.now():
            return False
        try:
            flow = posting.acting(
                self.world, to, lambda _, using: platform.signal(stage, to, using)
            )
            await asyncio.wait_for(self.world.calls.arun(flow), EDIT_TIMEOUT)
        except (PostError, TimeoutError) as error:
            self.world.log("mark", turn=self.hint.turn.id, reason=type(error).__name__)
            if isinstance(error, RateLimited) and error.everywhere:
                until = self.world.clock.now() + error.after
                self.world.paces.cooled(self.destination, until, 0.0, everywhere=True)
            return False
        return True
