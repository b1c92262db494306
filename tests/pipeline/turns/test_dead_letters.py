"""What becomes a dead letter and what does not."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from functions.dispatch import handler as dispatch_handler
from tests.simulation.letters import letters_of
from tests.simulation.roles import role
from tests.simulation.world import VISIBILITY, Simulation
from threadline.app.audit import Hand
from threadline.backends.outgoing import GatedQueue, Passage, PlannedGate
from threadline.core.errors import StoreError
from threadline.core.ports import Outgoing
from threadline.local.sqs_event import Batch, failed_ids, sqs_event

type Make = Callable[..., Simulation]


def hand_over(world: Simulation) -> int:
    """Let the mailbox hand over one whole batch; what failed comes again at once."""
    queue = world.ports.ports.queues.mailbox
    messages = queue.receive(10, visibility=VISIBILITY["mailbox"])
    with role("dispatch"):
        answer = dispatch_handler.handler(sqs_event(Batch("mailbox", True, messages)), None)
    failed = failed_ids(answer, messages)
    queue.delete([one.receipt for one in messages if one.id not in failed])
    for one in messages:
        if one.id in failed:
            queue.change_visibility([one.receipt], 0.0)
    world.clock.advance(20)
    return len(failed)


def test_what_was_only_throttled_is_no_poison(simulate: Make) -> None:
    """A mail that came back from a throttled function, never begun, still has its run."""
    world = simulate()
    world.write("hello")
    for _ in range(2):
        assert world.ports.ports.queues.mailbox.receive(1, visibility=VISIBILITY["mailbox"])
        world.clock.advance(VISIBILITY["mailbox"] + 1)
    world.run(600)
    assert world.shown() == ["echo: hello"]


def test_what_waits_behind_a_failing_mail_keeps_its_tries(simulate: Make) -> None:
    """A mail given back untouched behind a failing one, twice, is run after it as if new."""
    failures: list[str] = []

    def plan(point: str) -> Passage:
        if point == "store.get" and failures:
            return Passage(before=ConnectionRefusedError(failures.pop()))
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("first")
    world.write("second")
    for _ in range(2):
        failures.append("the store is away")
        assert hand_over(world) == 2
    world.run(600)
    assert world.asked() == ["first", "second"]
    assert letters_of(world).letters() == ()


def test_every_dead_letter_is_listed_and_put_back(simulate: Make) -> None:
    """All dead letters of a chat are listed and come back, however many: not one batch alone."""
    world = simulate()
    world.agent.faults["POST runs"] = [422] * 15
    texts = [f"message {number}" for number in range(15)]
    for text in texts:
        world.write(text)
        world.run(20)
    letters = letters_of(world)
    assert len(letters.letters()) == 15
    world.clock.advance(1)
    assert letters.put_back("", Hand("olga", "1")) == 15
    world.run()
    assert sorted(world.asked()) == sorted(texts)


def moved_by_the_queue(world: Simulation, texts: list[str]) -> None:
    """Let messages be where the queue itself puts them: all in the group of their mailbox."""
    queues = world.ports.ports.queues
    for text in texts:
        world.write(text)
    while found := queues.mailbox.receive(10, visibility=VISIBILITY["mailbox"]):
        queues.dead.send([Outgoing(one.body, one.group, one.id) for one in found])
        queues.mailbox.delete([one.receipt for one in found])


def test_what_the_queue_set_aside_is_listed_whole(simulate: Make) -> None:
    """More than ten letters of one chat are listed, again and again, none of them twice."""
    world = simulate()
    moved_by_the_queue(world, [f"message {number}" for number in range(35)])
    letters = letters_of(world)
    for _ in range(2):
        listed = letters.letters()
        assert len(listed) == len({letter.delivery for letter in listed}) == 35
        assert [letter.since for letter in listed] == sorted(letter.since for letter in listed)


def test_one_of_many_that_the_queue_set_aside_is_put_back(simulate: Make) -> None:
    """It need not be among the first ten; the others stay."""
    world = simulate()
    moved_by_the_queue(world, [f"message {number}" for number in range(25)])
    letters = letters_of(world)
    last = letters.letters()[-1]
    world.clock.advance(1)
    assert letters.put_back(last.delivery, Hand("olga", "1")) == 1
    world.run()
    assert world.asked() == ["message 24"]
    assert len(letters.letters()) == 24


@pytest.mark.parametrize("listed", [False, True])
def test_what_the_queue_set_aside_comes_back_in_order(simulate: Make, *, listed: bool) -> None:
    """A chat's messages run in the order they were written, listed before or not."""
    world = simulate()
    texts = [f"message {number}" for number in range(18)]
    moved_by_the_queue(world, texts)
    letters = letters_of(world)
    if listed:
        letters.letters()
    world.clock.advance(1)
    assert letters.put_back("", Hand("olga", "1")) == 18
    world.run()
    assert world.asked() == texts


def test_a_listing_that_breaks_off_loses_no_letter(simulate: Make) -> None:
    """Between putting a letter apart and removing it from its chat's, there may be two of it."""
    world = simulate()
    moved_by_the_queue(world, [f"message {number}" for number in range(15)])
    letters = letters_of(world)
    left = [Passage(after=ConnectionResetError())]
    gate = PlannedGate(
        lambda passed: left.pop() if left and passed == "queue.dead.send" else Passage()
    )
    broken = replace(letters, dead=GatedQueue(letters.dead, "dead", gate))
    with pytest.raises(StoreError):
        broken.letters()
    assert len({letter.delivery for letter in letters.letters()}) == 15
    world.clock.advance(1)
    assert letters.put_back("", Hand("olga", "1")) >= 15
    world.run()
    assert sorted(world.asked()) == sorted(f"message {number}" for number in range(15))
