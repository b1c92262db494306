"""Longer schedules: people write, edit, stop and ask while everything around them goes wrong."""

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.faults.checks import doubtful, early, order, stuck
from tests.faults.gates import IN_A_ROW, KINDS, harmful, passages
from tests.faults.letters import kept_aside, put_back, untold, without_effect
from tests.faults.single import fast_folder
from tests.simulation.world import CHAT, Simulation, settings_with
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.settings import Busy, ReplyMode

CHATS = (CHAT, CHAT + 1)
NO_RUN = frozenset(
    {"backlog_full", "dropped_by_new", "stopped", "edited_waiting", "edit_held", "duplicate",
     "busy_rejected", "gave_up", "agent_rejected", "poison"}
)  # fmt: skip
"""Reasons for which a message may have no run."""

WISHES = ("hello", "sleep 3", "sleep 25", "boom", "silent", "half", "long 3")


@dataclass(slots=True)
class Written:
    """A message and what came after it."""

    token: str
    chat: int
    update: dict[str, Any]
    edited: bool = False


@dataclass(slots=True)
class Planned:
    """What goes wrong from the call of a number on: with that call, and the next of its point."""

    first: int
    passages: list[Passage]
    point: str = ""


class Schedules(RuleBasedStateMachine):
    """One installation under a schedule of messages and faults."""

    make: ClassVar[Callable[..., Simulation]] = Simulation
    kinds: ClassVar[tuple[str, ...]] = tuple(sorted((*KINDS, *IN_A_ROW)))

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="schedule-", dir=fast_folder()))
        self.plans: list[Planned] = []
        self.at_length = False
        self.late: set[str] = set()
        self.written: list[Written] = []
        self.gate = PlannedGate(self._plan)
        self.world: Simulation

    @initialize(busy=st.sampled_from(Busy), reply=st.sampled_from(ReplyMode))
    def begin(self, busy: Busy, reply: ReplyMode) -> None:
        settings = settings_with({"busy": busy, "reply": reply, "backlog": 3})
        self.world = type(self).make(self.folder, settings=settings, gate=self.gate)
        for chat in CHATS[1:]:
            self.world.telegram.add_chat(chat)

    @rule(wish=st.sampled_from(WISHES), chat=st.sampled_from(CHATS))
    def write(self, wish: str, chat: int) -> None:
        token = f"m{len(self.written)}m"
        update = self.world.write(f"{token}: {wish}", chat=chat)
        self.written.append(Written(token, chat, update))

    @precondition(lambda self: self.written)
    @rule(data=st.data())
    def redeliver(self, data: st.DataObject) -> None:
        self.world.post(data.draw(st.sampled_from(self.written)).update)

    @precondition(lambda self: self.written)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        one = data.draw(st.sampled_from(self.written))
        message = one.update["message"]
        if one.edited or "text" not in message:
            return
        one.edited = True
        changed = message | {"text": message["text"] + " again", "edit_date": message["date"] + 1}
        self.world.post({"update_id": 9000 + len(self.written), "edited_message": changed})

    @rule(command=st.sampled_from(["/stop", "/new", "/status"]), chat=st.sampled_from(CHATS))
    def command(self, command: str, chat: int) -> None:
        self.world.write(command, chat=chat)

    @rule(seconds=st.sampled_from([0.2, 1.0, 4.0, 20.0, 100.0]))
    def wait(self, seconds: float) -> None:
        self.world.run(seconds)

    @rule(ahead=st.integers(0, 12), data=st.data())
    def fault(self, ahead: int, data: st.DataObject) -> None:
        kind = data.draw(st.sampled_from(self.kinds))
        self.at_length |= kind in IN_A_ROW
        self.plans.append(Planned(len(self.gate.points) + ahead + 1, [*passages(kind)]))

    @rule(seconds=st.sampled_from([3.0, 45.0]))
    def outage(self, seconds: float) -> None:
        self.world.agent.down = True
        self.world.run(seconds)
        self.world.agent.down = False

    @rule()
    def hand_over(self) -> None:
        self.world.watch.hand_over()
        self.world.run(1.0)
        self.world.watch.leaving = False

    @precondition(lambda self: self.world.agent.threads)
    @rule(seconds=st.sampled_from([2.0, 30.0]))
    def foreign_run(self, seconds: float) -> None:
        now = self.world.clock.now()
        for thread, place in self.world.agent.threads.items():
            if not any(run.status(now) in {"pending", "running"} for run in place.runs):
                self.world.agent.foreign_run(thread, seconds)

    def teardown(self) -> None:
        if not hasattr(self, "world"):
            shutil.rmtree(self.folder)
            return
        try:
            self.plans.clear()
            self.world.run(12 * 3600.0)
            found = [*self._given_up(), *self._runs(), *self._answers()]
            found += [*stuck(self.world), *order(self.world)]
            found += [*early(self.world), *dict.fromkeys(self.world.store.offences)]
            assert not found, found
        finally:
            self.world.close()
            shutil.rmtree(self.folder)

    def _plan(self, point: str) -> Passage:
        number = len(self.gate.points)
        for plan in self.plans:
            if plan.first == number:
                plan.point = point
            if plan.point == point:
                passage = plan.passages.pop(0)
                if not plan.passages:
                    self.plans.remove(plan)
                return Passage() if harmful(point, passage) else passage
        return Passage()

    def _given_up(self) -> list[str]:
        """Put back what was refused longer than it is tried; it comes late, and so out of order."""
        if not self.at_length:
            return []
        letters = put_back(self.world)
        self.late = {letter.delivery for letter in letters} | kept_aside(self.world)
        unsure = sum(len(doubtful(self.world, chat)) for chat in CHATS)
        found = [*untold(self.world, without_effect(self.world, letters), CHATS, unsure)]
        self.world.run(12 * 3600.0)
        return found

    def _runs(self) -> list[str]:
        found = []
        began: dict[int, float] = {}
        reasons = self._reasons()
        for one in self.written:
            runs = [
                run
                for run in self.world.agent.runs(one.token)
                if " again" not in str(run.human["content"])
            ]
            if len(runs) > 1:
                found.append(f"runs: {len(runs)} for {one.token}")
            delivery = f"telegram-default-{one.update['update_id']}"
            if not self.world.agent.runs(one.token) and not reasons[delivery] & NO_RUN:
                found.append(f"runs: none for {one.token}, and only {sorted(reasons[delivery])}")
            if runs and not one.edited and delivery not in self.late:
                if runs[0].began_at < began.get(one.chat, 0.0):
                    found.append(f"order: {one.token} ran before one that came earlier")
                began[one.chat] = runs[0].began_at
        return found

    def _reasons(self) -> dict[str, set[str]]:
        steps: dict[str, set[str]] = {}
        for line in self.world.lines:
            if line["event"] == "step" and "delivery" in line:
                steps.setdefault(line["delivery"], set()).add(line["step"])
        return {f"telegram-default-{one.update['update_id']}":
                steps.get(f"telegram-default-{one.update['update_id']}", set())
                for one in self.written}  # fmt: skip

    def _answers(self) -> list[str]:
        shown = [text for chat in CHATS for text in self.world.shown(chat)]
        unsure = any(doubtful(self.world, chat) for chat in CHATS)
        times = Counter(one.token for one in self.written for text in shown
                        if f"{one.token}: " in text and " again" not in text)  # fmt: skip
        twice = [token for token, number in times.items() if number > 1]
        return [] if unsure and not twice else [f"answers: {token} stands twice" for token in twice]
