"""Forgetting, step by step: safe to break off anywhere and to begin again.

A conversation is dispatch's to remove, so it is asked to by mail and answers by what stands
afterwards. Everything else is removed by the version that was read. What leads to the rest goes
last.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import batched
from typing import Final, Protocol

from threadline.app import audit, items
from threadline.app.audit import Hand
from threadline.app.forget import bodies, threads
from threadline.app.forget.bodies import Body
from threadline.app.forget.found import LAST, Find, Found
from threadline.app.forget.subject import Person, Subject, Traces
from threadline.app.forget.survey import survey
from threadline.app.waits import MOST, PREFIX
from threadline.app.world import World
from threadline.core.envelope import Forget
from threadline.core.errors import Conflict, ThreadlineError
from threadline.core.ids import ConversationKey
from threadline.core.ports import MAX_CHANGES, Scans
from threadline.core.records import Waiting

LETTERS: Final = "dead letters"
BODIES: Final = "stored bodies and files"
ANSWERED_WITHIN: Final = 60.0
"""Seconds dispatch has for the mail that asks it to forget."""
LOOK_EVERY: Final = 0.5


class InWork(ThreadlineError):
    """Something of the subject is in work, and has to end first."""


class Beside(Protocol):
    """What rests beside tables, queues and bodies where Threadline runs on one machine."""

    def count(self, traces: Traces) -> Mapping[str, int]:
        """Count what is the subject's, by kind."""
        ...

    def remove(self, traces: Traces) -> None:
        """Remove it."""
        ...

    def scrub(self) -> None:
        """Leave no byte of what was removed in any file."""
        ...


@dataclass(frozen=True, slots=True)
class Nothing:
    """Where nothing rests beside."""

    def count(self, traces: Traces) -> Mapping[str, int]:
        del traces
        return {}

    def remove(self, traces: Traces) -> None:
        del traces

    def scrub(self) -> None:
        return


@dataclass(frozen=True, slots=True)
class Inventory:
    """Everything that was found at once; `counts` by kind."""

    found: Found
    bodies: Sequence[Body]
    counts: Mapping[str, int]

    @property
    def traces(self) -> Traces:
        """By which names it was found."""
        return self.found.traces


@dataclass(frozen=True, slots=True)
class Forgetting:
    """Where the subject is looked for, and how dispatch is asked: `patience` seconds for it."""

    world: World
    scans: Scans
    beside: Beside
    ask: Callable[[Forget], None]
    patience: float = ANSWERED_WITHIN

    def inventory(self, subject: Subject) -> Inventory:
        """Find everything and change nothing. Raises StoreError."""
        world, traces = self.world, Traces(subject)
        found = survey(world.store, self.scans, traces, world.clock.now())
        stored = bodies.stored(world.blobs, traces)
        counts = Counter(found.counts())
        counts[BODIES] += len(stored)
        counts[LETTERS] += bodies.letters(world.queues.dead, world.blobs, traces, remove=False)
        counts.update(self.beside.count(traces))
        return Inventory(found, stored, +counts)

    def note(self, inventory: Inventory, hand: Hand) -> None:
        """Leave an audit row that says who forgets how much, and not whom."""
        subject = inventory.traces.subject
        what = "person" if isinstance(subject, Person) else "conversation"
        count = str(sum(inventory.counts.values()))
        row = audit.row(
            "forget", self.world.clock.now(), hand, what=what, platform=subject.platform,
            things=count,
        )  # fmt: skip
        self.world.store.write([row])

    def remove(self, inventory: Inventory, *, with_threads: bool = False) -> None:
        """Remove everything that was found, with the agent's threads where that is wanted.

        Raises InWork before anything is touched where something has to end first, and on the way
        where it began meanwhile. Raises StoreError and AgentError; the same call begins again.
        """
        found, traces = inventory.found, inventory.traces
        if found.busy:
            raise InWork("; ".join(found.busy))
        if with_threads:
            for conversation in found.standing:
                threads.delete(self.world, conversation)
        bodies.letters(self.world.queues.dead, self.world.blobs, traces, remove=True)
        bodies.remove(self.world.blobs, inventory.bodies)
        self.beside.remove(traces)
        self._write([find for find in found.finds if find.kind not in LAST])
        self._ask_dispatch(found)
        for kind in LAST:
            self._write([find for find in found.finds if find.kind == kind])

    def _write(self, finds: Sequence[Find]) -> None:
        """Make changes, many at once; what somebody changed meanwhile is left for the next look."""
        for several in batched(finds, MAX_CHANGES, strict=False):
            try:
                self.world.store.write([find.change for find in several])
            except Conflict:
                for find in several:
                    self._write_alone(find)

    def _write_alone(self, find: Find) -> None:
        try:
            self.world.store.write([find.change])
        except Conflict:
            return

    def _ask_dispatch(self, found: Found) -> None:
        for conversation in found.standing:
            key = conversation.key
            before = self._mark(key)
            self.ask(Forget(conversation=key, mailbox=conversation.mailbox))
            self._until(partial(self._forgotten_since, key, before), key)
        subject = found.traces.subject
        if isinstance(subject, Person):
            for key, mailbox in found.traces.shared.items():
                self.ask(Forget(conversation=key, mailbox=mailbox, sender=subject.id))
                self._until(partial(self._waits_no_more, key, subject), key)

    def _mark(self, key: ConversationKey) -> int:
        """Give the version of the mark that dispatch leaves, 0 where there is none."""
        mark = items.forgotten(self.world.settings().namespace, key)
        item = self.world.store.get([mark])[0]
        return item.version if item else 0

    def _forgotten_since(self, key: ConversationKey, before: int) -> bool:
        return self._mark(key) != before

    def _waits_no_more(self, key: ConversationKey, person: Person) -> bool:
        stored = self.world.store.query("conversations", key, PREFIX, limit=MOST)
        waiting = (items.read(Waiting, item) for item in stored)
        messages = (one.message for one in waiting if one is not None)
        return not any(person.wrote(one.platform, one.app, one.sender.id) for one in messages)

    def _until(self, done: Callable[[], bool], key: ConversationKey) -> None:
        """Wait until dispatch has done as asked. Raises InWork where it has not in time."""
        until = self.world.clock.now() + self.patience
        while not done():
            if self.world.clock.now() >= until:
                raise InWork(f"{key}: something began there meanwhile, or nobody dispatches")
            self.world.clock.sleep(LOOK_EVERY)
