"""What an operator finds and puts right: doubtful posts and dead letters."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation, settings_with
from tests.stubs.telegram import Fault
from threadline.app import audit, outbox
from threadline.app.audit import Hand
from threadline.app.outbox import Decision
from threadline.backends.outgoing import GatedQueue, Passage, PlannedGate
from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.records import PartState
from threadline.core.settings import ReplyMode

type Make = Callable[..., Simulation]


def doubtful(simulate: Make, *, stands: bool) -> Simulation:
    """Make an installation whose one answer was cut off, standing in the chat or not."""
    world = simulate(settings=settings_with({"reply": ReplyMode.COMMENT}))
    world.telegram.fault("sendMessage", Fault.drop("after" if stands else "before"))
    world.write("hello")
    world.run()
    return world


def decide(world: Simulation, decision: Decision) -> None:
    """Decide the one doubtful part there is."""
    ports = world.ports.ports
    (doubt,) = outbox.doubts(ports.store, world.clock.now())
    assert doubt.part.state is PartState.UNKNOWN
    hand = Hand("olga", "1")
    outbox.resolve(ports.store, ports.queues.outbox, ports.clock, doubt.part.id, decision, hand)
    world.run()


@pytest.mark.parametrize("stands", [True, False])
def test_an_unknown_post_is_shown_and_never_repeated(simulate: Make, stands: bool) -> None:
    """A post whose answer was lost is not sent again; it waits for the operator."""
    world = doubtful(simulate, stands=stands)
    assert len(world.shown()) == stands
    assert len(outbox.doubts(world.ports.ports.store, world.clock.now())) == 1


@pytest.mark.parametrize(
    ("stands", "decision", "shown"),
    [
        (False, Decision.AGAIN, 1),
        (True, Decision.SENT, 1),
        (False, Decision.DROP, 0),
    ],
)
def test_a_decision_settles_it_with_an_audit_row(
    simulate: Make, stands: bool, decision: Decision, shown: int
) -> None:
    """Sent, again or drop: carried out once, gone from the list, and written down."""
    world = doubtful(simulate, stands=stands)
    decide(world, decision)
    assert world.shown() == ["echo: hello"] * shown
    assert outbox.doubts(world.ports.ports.store, world.clock.now()) == ()
    (row,) = audit.rows(world.ports.ports.store)
    assert (row.action, row.by) == (f"outbox {decision}", "olga")


def test_a_part_nobody_knows_is_refused(simulate: Make) -> None:
    """A slip of the pen decides nothing."""
    world = simulate()
    ports = world.ports.ports
    with pytest.raises(ThreadlineError, match="no part"):
        outbox.resolve(
            ports.store, ports.queues.outbox, ports.clock, "x", Decision.SENT, Hand("o", "1")
        )


def given_up(simulate: Make) -> Simulation:
    """Make an installation that gave up two messages of one chat."""
    world = simulate(settings=settings_with(give_up=100.0))
    world.agent.down = True
    world.write("first")
    world.run(600)
    world.write("second")
    world.run(600)
    world.agent.down = False
    return world


def test_a_dead_letter_put_back_is_answered_once(simulate: Make) -> None:
    """Redrive runs the given-up message, leaves its neighbour alone, and leaves an audit row."""
    world = given_up(simulate)
    letters = letters_of(world)
    first, second = letters.letters()
    assert first.reason == second.reason == "gave_up"
    assert letters.put_back(first.delivery, Hand("olga", "1")) == 1
    world.run()
    assert world.asked() == ["first"]
    assert [letter.delivery for letter in letters.letters()] == [second.delivery]
    assert [row.action for row in audit.rows(world.ports.ports.store)] == ["redrive"]


def test_a_redrive_that_breaks_off_has_its_audit_row(simulate: Make) -> None:
    """Who put a letter back is known before it is on its way, whatever comes between."""
    world = given_up(simulate)
    letters = letters_of(world)
    first, _ = letters.letters()
    away = PlannedGate(lambda _: Passage(before=ConnectionRefusedError()))
    broken = replace(letters, mailbox=GatedQueue(letters.mailbox, "mailbox", away))
    with pytest.raises(StoreError):
        broken.put_back(first.delivery, Hand("olga", "1"))
    rows = audit.rows(world.ports.ports.store)
    assert [(row.action, row.values["delivery"]) for row in rows] == [("redrive", first.delivery)]
    assert len(letters.letters()) == 2


def test_everything_put_back_twice_still_runs_once(simulate: Make) -> None:
    """A letter that is put back again, or was in the queue twice, is a duplicate."""
    world = given_up(simulate)
    letters = letters_of(world)
    (copy, _) = letters.letters()
    assert letters.put_back("", Hand("olga", "1")) == 2
    world.run()
    from threadline.core.ports import Outgoing

    world.ports.ports.queues.dead.send([Outgoing(copy.received.body, group="g", dedup="d")])
    assert letters.put_back("", Hand("olga", "2")) == 1
    world.run()
    assert sorted(world.asked()) == ["first", "second"]


def test_a_chat_that_refuses_everything_for_a_minute(simulate: Make) -> None:
    """A minute of 429: the answers land afterwards, in order, once, no call before its time."""
    world = simulate()
    world.telegram.fault("sendMessage", Fault.too_many(60))
    world.telegram.fault("editMessageText", Fault.too_many(60))
    for text in ("one", "two", "three"):
        world.write(text)
    world.run()
    answers = [text for text in world.shown() if text.startswith("echo")]
    assert answers == ["echo: one", "echo: two", "echo: three"]
    refused = [call for call in world.telegram.calls if call.status == 429]
    later = [call for call in world.telegram.calls_of("sendMessage", "editMessageText")
             if any(one.at < call.at < one.at + 60 for one in refused)]  # fmt: skip
    assert later == []
