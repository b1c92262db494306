import logging
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from threadline.app import items
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.store import SqliteStore
from threadline.core.ids import DeliveryId
from threadline.core.ports import Expect, Put
from threadline.core.records import JournalRow
from threadline.local.playground import wire
from threadline.local.playground.chats import Chats, Words
from threadline.local.playground.journey import Known, RecentLines, Told, tell

DELIVERY = "playground-default-1"
TURN = "t1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Give an empty store."""
    with Database(tmp_path / "db", VirtualClock(100.0), synchronous="NORMAL") as database:
        yield SqliteStore(database)


@pytest.fixture
def chats(tmp_path: Path) -> Iterator[Chats]:
    """Give a chat with one message that was accepted 20 ms after it was sent."""
    opened = Chats(tmp_path / "chats.db")
    opened.settle(opened.say("c1", "hello", "k1", 100.0).id, "accepted", 100.02)
    yield opened
    opened.close()


def journal(store: SqliteStore, *rows: tuple[float, str, str]) -> None:
    """Write journal rows of the message's delivery."""
    numbers = count()
    written = [
        JournalRow(
            delivery=DeliveryId(DELIVERY), at=at, step=step, detail=detail, turn=TURN,
            conversation="playground/default//c1/",
        )
        for at, step, detail in rows
    ]  # fmt: skip
    store.write([Put(items.journal_item(row, str(next(numbers))), Expect.ANY) for row in written])


def told(store: SqliteStore, chats: Chats, *lines: Mapping[str, object]) -> Told:
    """Tell the journey of the one message."""
    said = chats.message(1)
    assert said is not None
    return tell(store, Known(said, chats.answers(1), lines, DELIVERY))


def test_a_journey_is_told_from_sending_to_the_last_post(store: SqliteStore, chats: Chats) -> None:
    """Own records, journal and counted edits stand in order of time, with the run's id."""
    post = chats.post("c1", Words("…", "progress"), "n1", 1, 100.3)
    chats.edit(post, Words("You", "progress"), 100.6)
    chats.edit(post, Words("You said", "progress"), 100.8)
    chats.edit(post, Words("You said: hello", "answer"), 101.0)
    journal(
        store,
        (100.1, "starting", "agent demo"),
        (100.2, "run_created", "run r1"),
        (100.31, "post sent", "message 2"),
        (100.95, "run success", ""),
        (101.01, "edit sent", "message 2"),
        (101.1, "run_ended", "success"),
    )
    journey = wire.journey(told(store, chats))
    assert [(step["title"], step["note"], step["after"]) for step in journey["steps"]] == [
        ("Sent by you", "", 0),
        ("Accepted at the front door", "", 20),
        ("Turn begun, the agent is asked", "agent demo", 100),
        ("Run created", "run r1", 200),
        ("First sign of life posted", "", 310),
        ("First words shown", "", 600),
        ("Answer growing", "2 edits", 800),
        ("Run over", "", 950),
        ("Answer posted", "", 1010),
        ("Turn closed", "", 1100),
    ]
    assert (journey["run"], journey["over"], journey["delivery"]) == ("r1", True, DELIVERY)


@pytest.mark.parametrize(
    ("step", "over"),
    [
        ("queued", False), ("starting", False), ("run_created", False), ("blocked", False),
        ("agent_down", False), ("post sent", False), ("run success", False), ("try 2", False),
        ("run_ended", True), ("asked", True), ("command", True), ("gave_up", True),
        ("not_allowed", True), ("poison", True), ("rate_capped", True),
    ],
)  # fmt: skip
def test_a_journey_knows_whether_more_is_to_come(
    store: SqliteStore, chats: Chats, step: str, *, over: bool
) -> None:
    """Steps on the way leave it open, an end of any kind closes it."""
    journal(store, (100.1, step, ""))
    assert told(store, chats).over is over


def test_reasons_that_are_only_logged_are_told(store: SqliteStore, chats: Chats) -> None:
    """A step without a journal row comes from the log; what others did to the turn does not."""
    journal(store, (100.1, "starting", ""))
    lines = [
        {"at": 100.1001, "event": "step", "step": "starting", "delivery": DELIVERY},
        {"at": 100.5, "event": "step", "step": "duplicate", "delivery": DELIVERY},
        {"at": 100.6, "event": "step", "step": "time_limit", "turn": TURN},
        {"at": 100.7, "event": "step", "step": "stopped", "turn": TURN, "delivery": "another"},
        {"at": 100.8, "event": "step", "step": "not_allowed", "delivery": "another"},
        {"at": 100.9, "event": "part", "state": "sent", "turn": TURN},
    ]
    codes = [step.code for step in told(store, chats, *lines).steps]
    assert codes == ["sent", "accepted", "starting", "duplicate", "time_limit"]


def test_a_message_that_was_not_taken_ends_there(store: SqliteStore, chats: Chats) -> None:
    """What the front door refused has its reason as the last step."""
    chats.settle(1, "refused", 100.5, "Try again.")
    journey = told(store, chats)
    assert [(step.code, step.note) for step in journey.steps][-1] == ("not_sent", "Try again.")
    assert journey.over


def test_nothing_is_begun_before_it_was_accepted(store: SqliteStore, chats: Chats) -> None:
    """Where the turn began before the page saw the front door's answer, the order is still true."""
    journal(store, (100.01, "starting", ""))
    steps = told(store, chats).steps
    assert [(step.code, step.at) for step in steps] == [
        ("sent", 100.0),
        ("accepted", 100.01),
        ("starting", 100.01),
    ]


def test_every_step_has_words(store: SqliteStore, chats: Chats) -> None:
    """A code nobody gave a title has its meaning, or is at least readable."""
    journal(store, (100.1, "owner_changed", ""), (100.2, "backlog_full", ""))
    titles = {step.code: step.title for step in told(store, chats).steps}
    assert titles["backlog_full"] == "too many messages were waiting in this conversation"
    assert titles["owner_changed"] == "owner changed"


def test_the_latest_lines_are_kept_and_heard_of() -> None:
    """Structured lines are kept with their values, up to a bound, and every one rings."""
    rung: list[int] = []
    recent = RecentLines(lambda: rung.append(1))
    for number in range(2_500):
        record = logging.makeLogRecord({"msg": "step", "values": {"step": "x", "number": number}})
        recent.handle(record)
    assert len(rung) == 2_500
    assert len(recent.lines()) == 2_000
    assert recent.lines()[-1]["number"] == 2_499
