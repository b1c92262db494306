"""Why the bot did, or did not, answer: every step that is known, in order, read-only."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from threadline.app import items, logline
from threadline.app.logline import Line, Step
from threadline.core import keys
from threadline.core.ids import ConversationKey
from threadline.core.ports import Item, ItemStore
from threadline.core.records import Conversation, JournalRow, Part, RunRecord, Seen, Waiting

MOST_JOURNEYS: Final = 20
MOST_STRANGERS: Final = 10

APART: Final = 5.0

type Lines = Callable[[], Iterable[Line]]
"""The structured log, oldest first, as often as it is asked for."""


@dataclass(frozen=True, slots=True)
class Journey:
    """One delivery from the front door to the last post."""

    delivery: str
    steps: tuple[Step, ...]
    conversation: str = ""
    turns: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Present:
    """Where a conversation stands now."""

    conversation: Conversation
    due_at: float | None
    waiting: tuple[Waiting, ...]
    runs: tuple[RunRecord, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of a delivery, message or conversation; empty where nothing is.

    `strangers` are log lines of deliveries that were dropped or refused and bear no id.
    """

    asked: str
    journeys: tuple[Journey, ...] = ()
    present: Present | None = None
    strangers: tuple[Step, ...] = ()

    @property
    def known(self) -> bool:
        """Whether anything bears the id that was asked for."""
        return bool(self.journeys or self.present)


@dataclass(frozen=True, slots=True)
class Explain:
    """Looks into tables and log."""

    store: ItemStore
    lines: Lines

    def __call__(self, asked: str) -> Explanation:
        """Explain a delivery or request id, a message id or a conversation's key."""
        present = self._present(ConversationKey(asked))
        deliveries = dict.fromkeys((asked, *self._named(asked)))
        if present:
            deliveries |= dict.fromkeys(_deliveries_of(present))
        rows = {one: self._rows(one) for one in [*deliveries][-MOST_JOURNEYS:]}
        turns = {row.turn for one in rows.values() for row in one if row.turn}
        lines, strangers = [], deque[Step](maxlen=MOST_STRANGERS)
        for line in self.lines():
            if any(logline.concerns(line, one, turns) for one in rows):
                lines.append(line)
            elif logline.is_of_nobody(line):
                strangers.append(logline.step(line))
        journeys = (self._journey(one, found, lines) for one, found in rows.items())
        known = tuple(journey for journey in journeys if journey.steps)
        return Explanation(asked, known, present, tuple(strangers))

    def journey(self, delivery: str) -> Journey:
        """Put together what tables and log tell of one delivery."""
        return self._journey(delivery, self._rows(delivery), self.lines())

    def _journey(self, delivery: str, rows: Sequence[JournalRow], lines: Iterable[Line]) -> Journey:
        turns = tuple(dict.fromkeys(row.turn for row in rows if row.turn))
        journalled = [Step(row.at, row.step, row.detail, row.conversation) for row in rows]
        logged = [logline.step(one) for one in lines if logline.concerns(one, delivery, turns)]
        fresh = (step for step in logged if not _is_among(step, journalled))
        steps = tuple(sorted({*journalled, *fresh}))
        conversation = next((row.conversation for row in rows if row.conversation), "")
        return Journey(delivery, steps, conversation, turns, self._parts(conversation, turns))

    def _rows(self, delivery: str) -> tuple[JournalRow, ...]:
        partition = items.journal_partition(delivery)
        found = self.store.query("deliveries", partition, "journal#")
        rows = (items.read(JournalRow, item) for item in found)
        return tuple(row for row in rows if row is not None)

    def _parts(self, conversation: str, turns: tuple[str, ...]) -> tuple[Part, ...]:
        if not conversation or not turns:
            return ()
        platform, app, workspace, chat, _ = keys.split(conversation)
        place = keys.destination_key(platform, app, workspace, chat)
        found: list[Item] = [*self.store.query("outbox", place, "live#part#")]
        for turn in turns:
            found += self.store.query("outbox", place, f"done#{turn}")
        parts = (items.read(Part, item) for item in found)
        return tuple(
            sorted((part for part in parts if part and part.turn in turns), key=lambda p: p.id)
        )

    def _present(self, key: ConversationKey) -> Present | None:
        (item,) = self.store.get([items.conversation(key)])
        conversation = items.read(Conversation, item)
        if item is None or conversation is None:
            return None
        return Present(
            conversation,
            item.due[1] if item.due else None,
            self._all(Waiting, key, "wait#"),
            self._all(RunRecord, key, "run#"),
        )

    def _all[T](self, kind: type[T], key: ConversationKey, prefix: str) -> tuple[T, ...]:
        found = (items.read(kind, item) for item in self.store.query("conversations", key, prefix))
        return tuple(one for one in found if one is not None)

    def _named(self, asked: str) -> Iterable[str]:
        """Find the deliveries of a message or conversation, by dedupe row and by log.

        A delivery is also found by the platform's own id, with which ours ends.
        """
        (item,) = self.store.get([items.seen(asked)])
        if seen := items.read(Seen, item):
            yield seen.delivery
        for line in self.lines():
            if delivery := logline.delivery_named(line, asked):
                yield delivery


def _deliveries_of(present: Present) -> tuple[str, ...]:
    turn = present.conversation.turn
    waiting = (str(one.message.delivery) for one in present.waiting)
    return (*(turn.deliveries if turn else ()), *waiting)


def _is_among(step: Step, journalled: Iterable[Step]) -> bool:
    """Tell whether the journal has this step too: what is journalled is logged a moment apart."""
    return any(one.what == step.what and abs(one.at - step.at) < APART for one in journalled)
