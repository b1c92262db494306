"""Forgetting a person or a conversation: nothing of theirs rests, everything of others does."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.gates import FaultGate
from tests.simulation.forgetting import (
    ADA,
    ADA_IM,
    ADA_SLACK,
    BEN,
    GROUP,
    PLANTED,
    SLACK,
    TELEGRAM,
    TOPIC,
    Busy,
    Copy,
    both_platforms,
    busy_history,
    kept_aside,
    plain,
    traces_of,
)
from tests.simulation.network import TELEGRAM as TELEGRAM_API
from threadline.app import codec, dispatch, items
from threadline.app.dead import HIDDEN_FOR
from threadline.app.dispatch import Received
from threadline.app.forget.removal import InWork
from threadline.app.forget.subject import Place, Traces
from threadline.app.forget.survey import named_in, survey
from threadline.backends.outgoing import OpenGate
from threadline.core import settings
from threadline.core.envelope import Wake
from threadline.core.errors import ThreadlineError
from threadline.core.ids import ConversationKey
from threadline.core.ports import Delete, Outgoing, Queue
from threadline.core.records import Conversation

PRIVATE = ConversationKey(f"telegram/default//{ADA}/")
SHARED = ConversationKey(f"telegram/default//{GROUP}/7")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Busy]:
    """An installation that is closed when the test ends."""
    simulation = Busy(tmp_path)
    yield simulation
    simulation.close()


def test_nothing_of_a_person_rests_anywhere(world: Busy, tmp_path: Path) -> None:
    """After a busy history and `forget`, no byte of the person's words or id is in any file."""
    busy_history(world)
    kept_aside(world, ADA)
    assert len(traces_of(tmp_path, PLANTED, str(ADA), ADA_SLACK, ADA_IM)) > 3
    world.forget(TELEGRAM)
    world.forget(SLACK)
    assert traces_of(tmp_path, PLANTED, str(ADA), ADA_SLACK, ADA_IM) == []
    assert world.store.offences == []


def test_nothing_of_others_is_touched(world: Busy) -> None:
    """Items, letters and bodies of others are what they were, version and all."""
    busy_history(world)
    kept_aside(world, BEN)
    before, blobs = world.everything(), world.ports.ports.blobs
    mine = world.theirs[ADA]
    turns = {str(item.attributes["turn"]) for item in before
             if item.key.sort == "seen" and str(item.attributes["delivery"]) in mine}  # fmt: skip
    turns |= {str(item.attributes["turn"]) for item in before
              if item.key.sort == "seen" and item.attributes["sender"] == ADA_SLACK}  # fmt: skip
    others = {
        name: blobs.get(name)
        for name in blobs.names("")
        if PLANTED.encode() not in (blobs.get(name) or b"")
    }
    world.forget(TELEGRAM)
    world.forget(SLACK)
    after = {item.key: item for item in world.everything()}
    marks = (PLANTED, str(ADA), ADA_SLACK, ADA_IM, *mine, *turns)
    for item in before:
        if not any(mark in plain(item) for mark in marks):
            assert after.get(item.key) == item, item.key
    assert {name: blobs.get(name) for name in blobs.names("")} == others
    letters = world.ports.ports.queues.dead.receive(10, visibility=1.0)
    assert [str(BEN) in letter.body for letter in letters] == [True]


@pytest.mark.parametrize("text", ["", "None"])
def test_what_names_nothing_is_about_nobody(world: Busy, text: str) -> None:
    """A command has no turn; lines and rows that name none are not about its sender."""
    world.says(ADA, "/help")
    world.says(ADA, "hello")
    world.run()
    found = survey(world.ports.ports.store, world.scans, Traces(TELEGRAM), world.clock.now())
    assert found.traces.deliveries
    assert not named_in(found.traces, text)


def test_what_was_given_up_in_a_group_is_forgotten(world: Busy, tmp_path: Path) -> None:
    """A message that became a dead letter among others' goes with its files and its rows."""
    world.telegram.add_file("F9", f"{PLANTED} file".encode())
    document = {"file_id": "F9", "file_unique_id": "u9", "file_name": "notes.txt",
                "file_size": 11, "mime_type": "text/plain"}  # fmt: skip
    world.agent.down = True
    world.says(ADA, "given up", document=document, **TOPIC)
    world.run(7200)
    assert any(item.attributes.get("fate") == "dead" for item in world.everything())
    world.forget(TELEGRAM)
    assert traces_of(tmp_path, PLANTED, str(ADA)) == []


def test_merged_messages_are_forgotten_each_by_itself(world: Busy) -> None:
    """Of a turn that answers several people only one's file goes."""
    world.settings = both_platforms(busy=settings.Busy.COLLECT, owner="team")
    for person, word in ((ADA, PLANTED), (BEN, "thyme")):
        world.telegram.add_file(f"F{person}", f"{word} file".encode())
    world.says(BEN, "sleep 20", **TOPIC)
    world.run(5)
    for person in (ADA, BEN):
        document = {"file_id": f"F{person}", "file_unique_id": f"u{person}", "file_size": 11,
                    "file_name": "notes.txt", "mime_type": "text/plain"}  # fmt: skip
        world.says(person, "both", document=document, **TOPIC)
    world.run()
    blobs = world.ports.ports.blobs
    assert len(blobs.names("files/")) == 2
    world.forget(TELEGRAM)
    assert [blobs.get(name) for name in blobs.names("files/")] == [b"thyme file"]


def test_files_that_were_fetched_twice_are_forgotten_each_by_itself(world: Busy) -> None:
    """Where several people's files take so long that they are fetched again, only one's go."""
    world.settings = both_platforms(busy=settings.Busy.COLLECT, owner="team")
    world.slow[f"{TELEGRAM_API}/file"] = 200.0
    world.says(BEN, "sleep 20", **TOPIC)
    world.run(5)
    for number in range(8):
        person, word = ((ADA, PLANTED), (BEN, "thyme"))[number % 2]
        world.telegram.add_file(f"F{number}", f"{word} file".encode())
        document = {"file_id": f"F{number}", "file_unique_id": f"u{number}", "file_size": 11,
                    "file_name": "notes.txt", "mime_type": "text/plain"}  # fmt: skip
        world.says(person, "both", document=document, **TOPIC)
    world.run()
    assert sum("notes.txt" in str(run.human) for run in world.agent.runs()) == 1
    world.forget(TELEGRAM)
    blobs = world.ports.ports.blobs
    assert {blobs.get(name) for name in blobs.names("files/")} == {b"thyme file"}
    assert len(blobs.names("files/")) == 4


def test_a_conversation_is_forgotten_alone(world: Busy, tmp_path: Path) -> None:
    """A conversation by its key goes as a whole; what the same person said elsewhere stays."""
    busy_history(world)
    world.forget(Place(SHARED))
    assert traces_of(tmp_path, SHARED) == []
    shown = "\n".join(plain(item) for item in world.everything())
    assert str(ADA) in shown
    assert f"hello {PLANTED}" in shown
    assert "in the group" not in shown


def test_a_message_that_comes_later_begins_anew(world: Busy) -> None:
    """After it is forgotten, a chat is answered like any other, on another thread."""
    world.says(ADA, "hello")
    world.run()
    world.forget(TELEGRAM)
    threads = set(world.agent.threads)
    for text in ("again", "and again"):
        world.says(ADA, text)
        world.run()
    answers = [text for text in world.shown(ADA) if text.startswith("echo")]
    assert answers == [f"echo: {text} {PLANTED}" for text in ("hello", "again", "and again")]
    assert len(set(world.agent.threads) - threads) == 1
    world.forget(TELEGRAM)
    assert traces_of(world.folder, PLANTED, str(ADA)) == []
    world.says(ADA, "sleep 20")
    world.run()
    assert world.shown(ADA)[-1] == "slept 20"


@pytest.mark.parametrize(
    ("text", "seconds", "why"),
    [("sleep 600", 10, "goes on"), ("ask", 20, "question waits"), ("a", 0.5, "a turn is starting")],
)
def test_what_is_in_work_is_not_touched(world: Busy, text: str, seconds: float, why: str) -> None:
    """While a turn of theirs is under way nothing is removed, and what it is is said."""
    world.agent.down = why.endswith("starting")
    world.says(ADA, text)
    world.run(seconds)
    before = world.everything()
    with pytest.raises(InWork, match=why):
        world.forget(TELEGRAM)
    assert world.everything() == before
    world.agent.down = False
    world.says(ADA, "/stop")
    world.run()
    world.forget(TELEGRAM)
    assert traces_of(world.folder, PLANTED, str(ADA)) == []


def test_one_waits_behind_another(world: Busy) -> None:
    """Their waiting message is dropped; the turn it waits behind, and the next one, go on."""
    world.says(BEN, "sleep 30", **TOPIC)
    world.run(5)
    world.says(ADA, "between", **TOPIC)
    world.says(BEN, "after", **TOPIC)
    world.run(3)
    world.forget(TELEGRAM)
    world.run()
    assert [text for text in world.asked() if PLANTED in text] == []
    assert len(world.asked()) == 2
    assert traces_of(world.folder, PLANTED, str(ADA)) == []


def test_what_a_broken_off_removal_left_waiting_is_counted_as_that(world: Busy) -> None:
    """Messages whose conversation is gone are shown as messages that wait, each once, and go."""
    world.says(BEN, "sleep 30", **TOPIC)
    world.run(5)
    for text in ("first", "second"):
        world.says(ADA, text, **TOPIC)
    world.run(3)
    store = world.ports.ports.store
    (conversation,) = store.get([items.conversation(SHARED)])
    assert conversation is not None
    store.write([Delete(conversation.key, conversation.version)])
    world.clock.advance(60)
    counts = world.forgetting().inventory(Place(SHARED)).counts
    assert (counts["waiting messages"], counts["followed runs"]) == (2, 1)
    world.forget(Place(SHARED))
    assert traces_of(world.folder, SHARED) == []


def test_a_turn_with_their_message_among_others_is_in_work(world: Busy) -> None:
    """Where several messages became one turn, it ends first, whoever wrote the last of them."""
    world.settings = both_platforms(busy=settings.Busy.COLLECT)
    world.says(BEN, "sleep 30", **TOPIC)
    world.run(5)
    world.says(ADA, "sleep 40", **TOPIC)
    world.says(BEN, "after", **TOPIC)
    world.run(until=lambda: len(world.asked()) == 2)
    with pytest.raises(InWork, match="goes on"):
        world.forget(TELEGRAM)


def test_a_late_hint_follows_nothing(world: Busy) -> None:
    """A hint that comes after all was forgotten follows no run, fetches nothing, says nothing."""
    hints = recorded(world.ports.ports.queues.runs)
    world.telegram.add_file("F1", b"a file")
    document = {"file_id": "F1", "file_unique_id": "u1", "file_name": "a.txt", "file_size": 6}
    world.says(ADA, "hello", document=document)
    world.run()
    assert [json.loads(body)["job"] for body in hints] == ["fetch", "follow"]
    world.forget(TELEGRAM)
    shown = world.shown(ADA)
    for begins_anew in (False, True):
        if begins_anew:
            world.says(ADA, "sleep 30")
            world.run(10)
        queue = world.ports.ports.queues.runs
        queue.send([Outgoing(body) for body in hints[:2]])
        world.run()
        assert [text for text in world.shown(ADA)[len(shown) :] if "hello" in text] == []
        world.forget(TELEGRAM)
        assert traces_of(world.folder, PLANTED, str(ADA), "a file") == []


def test_a_late_wake_brings_nothing_back(world: Busy) -> None:
    """A sweep's copy of a conversation that was forgotten replaces nothing of the one that began.

    Versions count anew, so that the copy's may be that of the new conversation.
    """
    world.says(ADA, "sleep 30")
    world.run(5)
    key = items.conversation(PRIVATE)
    (former,) = world.ports.ports.store.get([key])
    assert former is not None
    conversation = codec.record(Conversation, former.attributes)
    world.run()
    world.forget(TELEGRAM)
    world.says(ADA, "sleep 60")
    world.run(5)
    (fresh,) = world.ports.ports.store.get([key])
    assert fresh is not None
    assert fresh.version == former.version
    world.clock.advance(100)
    stale = Wake(
        conversation=PRIVATE, mailbox=conversation.mailbox, why="due",
        snapshot=replace(conversation, due=1.0), version=former.version,
    )  # fmt: skip
    dispatch.handle(world.world, Received("late", codec.encode(stale), 1))
    (now,) = world.ports.ports.store.get([key])
    assert now is not None
    assert codec.record(Conversation, now.attributes).epoch != conversation.epoch
    world.run()
    assert world.shown(ADA)[-1] == "slept 60"


def recorded(queue: Queue) -> list[str]:
    """Write down what is sent to a queue from now on."""
    sent: list[str] = []
    send = queue.send

    def note(messages: Sequence[Outgoing]) -> None:
        sent.extend(one.body for one in messages)
        send(messages)

    queue.send = note  # type: ignore[method-assign]
    return sent


def test_a_late_hint_repeats_no_answer_among_others(world: Busy) -> None:
    """In a conversation that stays, a turn that was forgotten is not answered once more."""
    hints = recorded(world.ports.ports.queues.runs)
    world.says(ADA, "hello", **TOPIC)
    world.run()
    world.forget(TELEGRAM)
    shown = world.shown(GROUP)
    world.ports.ports.queues.runs.send([Outgoing(body) for body in hints])
    world.run()
    assert world.shown(GROUP) == shown


def test_the_agents_threads_go_where_that_is_wanted(world: Busy) -> None:
    """Every thread of a conversation is deleted, those before a `/new` too, and no other."""
    for person in (ADA, BEN):
        for text in ("hello", "/new", "again"):
            world.says(person, text)
            world.run()
    world.says(ADA, "hello", **TOPIC)
    world.run()
    assert len(world.agent.threads) == 5
    world.forget(TELEGRAM, with_threads=True)
    left = [thread.metadata["channel_source"]["chat_id"] for thread in world.agent.threads.values()]
    assert sorted(left) == sorted([str(GROUP), str(BEN), str(BEN)])


def test_a_fault_anywhere_leaves_it_repeatable(world: Busy, tmp_path: Path) -> None:
    """Whichever call fails, before or after its effect, the same command finishes the work."""
    busy_history(world)
    kept_aside(world, ADA)
    number, met = 0, True
    while met:
        gate = FaultGate(number, "refused" if number % 2 else "answer lost")
        copy = Copy.of(world, tmp_path.with_name("copy"))
        with suppress(ThreadlineError):
            copy.forget(TELEGRAM, gate)
        copy.clock.advance(HIDDEN_FOR + 1.0)  # what a receive hid whose answer was lost
        for subject in (TELEGRAM, SLACK):
            copy.forget(subject, OpenGate())
        left = traces_of(copy.folder, PLANTED, str(ADA), ADA_SLACK, ADA_IM)
        assert left == [], (number, gate.met)
        copy.close()
        met, number = bool(gate.met), number + 1
    assert number > 30
