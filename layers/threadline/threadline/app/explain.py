"""Why the bot did, or did not, answer: every step that is known, in order, read-only."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from threadline.app import items
from threadline.core import keys
from threadline.core.ids import ConversationKey
from threadline.core.ports import Item, ItemStore
from threadline.core.records import Conversation, JournalRow, Part, RunRecord, Seen, Waiting

MOST_JOURNEYS: Final = 20
MOST_STRANGERS: Final = 10

type Lines = Callable[[], Iterable[Mapping[str, object]]]
"""The structured log, oldest first; each line has `at` in epoch seconds and `event`."""


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """Something that happened: a reason code or state, and what is known beside it."""

    at: float
    what: str
    detail: str = ""
    conversation: str = ""


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
        """Explain a delivery id, a conversation key or a message id."""
        present = self._present(ConversationKey(asked))
        deliveries = dict.fromkeys((asked, *self._named(asked)))
        if present:
            deliveries |= dict.fromkeys(_deliveries_of(present))
        logged: dict[str, list[Step]] = {one: [] for one in [*deliveries][-MOST_JOURNEYS:]}
        strangers: deque[Step] = deque(maxlen=MOST_STRANGERS)
        for line in self.lines():
            if line.get("event") == "delivery":
                delivery = _text(line, "delivery")
                if (steps := logged.get(delivery or _text(line, "request"))) is not None:
                    steps.append(_step(line))
                elif not delivery:
                    strangers.append(_step(line))
        journeys = (self.journey(one, steps) for one, steps in logged.items())
        known = tuple(journey for journey in journeys if journey.steps)
        return Explanation(asked, known, present, tuple(strangers))

    def journey(self, delivery: str, logged: Iterable[Step] = ()) -> Journey:
        """Put together what tables and log tell of one delivery."""
        rows = [
            row
            for item in self.store.query(
                "deliveries", items.journal_partition(delivery), "journal#"
            )
            if (row := items.read(JournalRow, item))
        ]
        steps = sorted(
            {*logged, *(Step(row.at, row.step, row.detail, row.conversation) for row in rows)}
        )
        conversation = next((row.conversation for row in rows if row.conversation), "")
        turns = tuple(dict.fromkeys(row.turn for row in rows if row.turn))
        return Journey(
            delivery, tuple(steps), conversation, turns, self._parts(conversation, turns)
        )

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
        """Find the deliveries of a message or conversation, by dedupe row and by log."""
        (item,) = self.store.get([items.seen(asked)])
        if seen := items.read(Seen, item):
            yield seen.delivery
        for line in self.lines():
            named = {
                _text(line, name) for name in ("message", "conversation", "mailbox", "request")
            }
            if asked in named and (delivery := _text(line, "delivery")):
                yield delivery


def _deliveries_of(present: Present) -> tuple[str, ...]:
    turn = present.conversation.turn
    waiting = (str(one.message.delivery) for one in present.waiting)
    return (*(turn.deliveries if turn else ()), *waiting)


def _step(line: Mapping[str, object]) -> Step:
    names = ("platform", "app", "status", "detail", "mailbox", "message")
    facts = " ".join(f"{name}={line[name]}" for name in names if line.get(name))
    at = line.get("at")
    return Step(float(at) if isinstance(at, int | float) else 0.0, _text(line, "reason"), facts)


def _text(line: Mapping[str, object], name: str) -> str:
    value = line.get(name)
    return value if isinstance(value, str) else ""
