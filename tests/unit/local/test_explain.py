from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from threadline.app import items
from threadline.app.explain import Explain
from threadline.app.logline import Step
from threadline.app.meanings import MEANINGS, meaning
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import SqliteStore
from threadline.core import keys
from threadline.core.ids import (
    AgentName,
    AppName,
    BindingName,
    DeliveryId,
    OwnerId,
    PlatformName,
    ThreadId,
    TurnId,
)
from threadline.core.ports import Expect, Item, Put
from threadline.core.posting import Destination, Draft
from threadline.core.reasons import Reason
from threadline.core.records import Conversation, JournalRow, Part, PartState, Seen, Turn
from threadline.core.settings import ReplyMode
from threadline.core.turn import State

KEY = keys.conversation_key("telegram", "default", "", "7", "")
MAILBOX = keys.mailbox_key("telegram", "default", "7")
PLACE = Destination(PlatformName("telegram"), AppName("default"), "", "7")
TURN = TurnId("0000000000100-abc")
NOW = 100.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Give an empty store."""
    with Database(tmp_path / "db", VirtualClock(NOW), synchronous="NORMAL") as database:
        numbers = count()
        yield SqliteStore(database, write_ids=lambda: str(next(numbers)))


def write(store: SqliteStore, *written: Item) -> None:
    """Put items into the store."""
    store.write([Put(item, Expect.ANY) for item in written])


def row(delivery: str, at: float, step: str, detail: str = "", turn: str = TURN) -> Item:
    """Make a journal row of the conversation."""
    value = JournalRow(
        delivery=DeliveryId(delivery), at=at, step=step, detail=detail, conversation=KEY, turn=turn
    )
    return items.journal_item(value, f"{at}")


def part(number: int, state: PartState, reason: str = "") -> Part:
    """Make a part of the turn's answer."""
    return Part(
        id=keys.part_id(TURN, number), turn=TURN, number=number, conversation=KEY,
        destination=PLACE, action="post", draft=Draft("said"), order=NOW, state=state,
        reason=reason,
    )  # fmt: skip


def line(at: float, reason: str, **more: str) -> Mapping[str, object]:
    """Make the log line of a delivery."""
    return {"at": at, "event": "delivery", "reason": reason, "platform": "telegram", **more}


def test_a_delivery_is_told_from_the_front_door_to_the_last_post(store: SqliteStore) -> None:
    """The log's line, the journal's rows in order and the turn's parts make one journey."""
    write(
        store,
        row("d1", 101.0, Reason.STARTING, "agent demo"),
        row("d1", 102.0, Reason.RUN_CREATED, "run r1"),
        items.settled_item(part(0, PartState.SENT), NOW),
        items.part_item(part(1, PartState.PLANNED), NOW),
    )
    lines = [line(100.5, "accepted", delivery="d1", message="55"), line(1.0, "x", delivery="d2")]
    (journey,) = Explain(store, lambda: lines)("d1").journeys
    assert journey.steps == (
        Step(100.5, "accepted", "platform=telegram message=55"),
        Step(101.0, "starting", "agent demo", KEY),
        Step(102.0, "run_created", "run r1", KEY),
    )
    assert journey.conversation == KEY
    assert [one.state for one in journey.parts] == [PartState.SENT, PartState.PLANNED]


def test_what_only_the_log_knows_is_told_too(store: SqliteStore) -> None:
    """Steps without a journal row, also those of a turn, are told; those with one only once."""
    write(store, row("d1", 101.0, "starting"))
    lines: list[Mapping[str, object]] = [
        {"at": 101.1, "event": "step", "step": "starting", "delivery": "d1", "conversation": KEY},
        {"at": 101.2, "event": "step", "step": "run_created", "turn": TURN, "run": "r1"},
        {"at": 101.3, "event": "lease", "turn": TURN, "state": "handed over"},
        {"at": 101.4, "event": "part", "turn": TURN, "state": "sent"},
        {"at": 101.5, "event": "step", "step": "run_created", "turn": "another", "run": "r2"},
        {"at": 101.6, "event": "step", "step": "duplicate", "delivery": "d1", "message": "55"},
    ]
    (journey,) = Explain(store, lambda: lines)("d1").journeys
    assert [(step.what, step.detail) for step in journey.steps] == [
        ("starting", ""),
        ("run_created", "run=r1"),
        ("lease", "state=handed over"),
        ("duplicate", "message=55"),
    ]


def test_other_ids_lead_to_the_delivery(store: SqliteStore) -> None:
    """A message's id, its identity in the dedupe row and the platform's delivery id all do."""
    identity, delivery = keys.join(("github", "default", "", "7", "55")), "github/default/d1"
    seen = Seen(
        identity=identity, delivery=DeliveryId(delivery), conversation=KEY, turn=TURN
    )  # fmt: skip
    write(store, row(delivery, 101.0, "starting"), items.seen_item(seen, NOW))
    lines = [line(100.5, "accepted", delivery=delivery, message="55")]
    for asked in ("55", "d1", identity):
        journeys = Explain(store, lambda: lines)(asked).journeys
        assert [one.delivery for one in journeys] == [delivery]


def test_a_conversation_tells_its_state_and_its_deliveries(store: SqliteStore) -> None:
    """Asked for a conversation, the answer has where it stands and every delivery under way."""
    turn = Turn(
        id=TURN, binding=BindingName("b"), agent=AgentName("demo"), owner=OwnerId("o"),
        thread=ThreadId("t"), sender="9", destination=PLACE, reply=ReplyMode.CHAT,
        waits=(), deliveries=("d1",), accepted_at=NOW, limit_at=NOW,
    )  # fmt: skip
    conversation = Conversation(
        key=KEY, mailbox=MAILBOX, platform="telegram", app="default", workspace="", chat="7",
        topic="", state=State.RUNNING, turn=turn,
    )  # fmt: skip
    write(
        store,
        items.conversation_item(conversation, 160.0, NOW),
        row("d1", 101.0, "starting"),
        row("d0", 90.0, "run_ended"),
    )
    step = {"at": 90.0, "event": "step", "delivery": "d0", "conversation": KEY}
    explanation = Explain(store, lambda: [step])(KEY)
    assert explanation.present is not None
    assert explanation.present.conversation.state is State.RUNNING
    assert explanation.present.due_at == 160.0
    assert {one.delivery for one in explanation.journeys} == {"d0", "d1"}


def test_a_refused_request_is_found_by_its_own_id(store: SqliteStore) -> None:
    """What never reached a table is explained by the id that its HTTP answer bore."""
    lines = [
        line(100.5, "signature_invalid", request="q1"),
        line(99.0, "own_message", request="q2"),
    ]
    (journey,) = Explain(store, lambda: lines)("q1").journeys
    assert [step.what for step in journey.steps] == ["signature_invalid"]


def test_what_is_unknown_is_said_with_what_was_dropped_lately(store: SqliteStore) -> None:
    """Nothing known is no error; the latest deliveries without an id are shown instead."""
    lines = [line(float(number), "signature_invalid", request=f"q{number}") for number in range(99)]
    explanation = Explain(store, lambda: [*lines, line(200.0, "accepted", delivery="d1")])("d9")
    assert not explanation.known
    assert [step.at for step in explanation.strangers] == [
        float(number) for number in range(89, 99)
    ]


def test_every_reason_has_a_meaning() -> None:
    """No code is shown to the operator without a sentence."""
    assert set(MEANINGS) == set(Reason)
    assert meaning("not_allowed").startswith("its sender is not let in")
    assert meaning("something else") == ""
