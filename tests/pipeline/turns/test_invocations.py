"""A function follows runs: its invocations take further hints while they follow something."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.simulation.invoked import InvokedSimulation
from tests.simulation.making import making
from tests.simulation.world import CHAT
from threadline.app import invocation
from threadline.backends.outgoing import CountingGate, Passage, PlannedGate

type Make = Callable[..., InvokedSimulation]

CHATS = range(CHAT + 1, CHAT + 41)
REFUSED = Passage(before=ConnectionRefusedError("refused"))


@pytest.fixture
def invoked(tmp_path: Path) -> Iterator[Make]:
    """Give a maker of installations where a function follows runs, at most one invocation."""
    with making(InvokedSimulation, tmp_path) as make:
        yield partial(make, at_once=1)


def chats(world: InvokedSimulation) -> None:
    """Let there be forty chats more."""
    for chat in CHATS:
        world.telegram.add_chat(chat)


def test_a_running_invocation_takes_what_comes_meanwhile(invoked: Make) -> None:
    """No invocation is free, and a run that begins meanwhile is shown within seconds all the same.

    It goes on being followed after the first one's end, by the same invocation.
    """
    world = invoked()
    chats(world)
    world.write("sleep 60")
    world.run(20)
    world.write("sleep 90", chat=CHATS[0])
    world.run(10)
    assert world.shown(CHATS[0])
    world.run(40)
    assert world.shown() == ["slept 60"]
    world.run()
    assert world.shown(CHATS[0]) == ["slept 90"]
    assert world.begun == 1


def test_an_invocation_fills_up_at_once(invoked: Make) -> None:
    """Forty runs wait for one invocation, which is handed ten: it has all of them in a moment."""
    world = invoked()
    chats(world)
    world.at_once = 0
    for chat in CHATS:
        world.write("sleep 60", chat=chat)
    world.run(5)
    world.at_once = 1
    world.run(2)
    assert len(world.watch.followed) == len(CHATS)
    world.run()
    assert [world.shown(chat) for chat in CHATS] == [["slept 60"]] * len(CHATS)
    assert world.begun == 1


def test_an_invocation_that_is_full_takes_nothing(invoked: Make) -> None:
    """With room for two a third run waits in the queue until one of them is over."""
    world = invoked(room=2)
    chats(world)
    for seconds, chat in zip((60, 30, 60), CHATS, strict=False):
        world.write(f"sleep {seconds}", chat=chat)
        world.run(1)
    world.run(20)
    assert len(world.watch.followed) == 2
    world.run(20)
    assert len(world.watch.followed) == 2
    world.run()
    assert [world.shown(chat) for chat in CHATS[:3]] == [["slept 60"], ["slept 30"], ["slept 60"]]
    assert world.begun == 1


def test_the_queue_alone_keeps_nothing_alive(invoked: Make) -> None:
    """An invocation looks while it follows something, every few seconds, and then never again."""
    gate = CountingGate()
    world = invoked(gate=gate)
    world.write("sleep 60")
    world.run(30)
    began = gate.counts("queue.runs")["queue.runs.receive"]
    world.run()
    looks = gate.counts("queue.runs")["queue.runs.receive"]
    assert 0 < began < 30 / invocation.LOOK_EVERY + 2
    assert looks < 65 / invocation.LOOK_EVERY + 2
    assert gate.counts("queue.runs").get("queue.runs.delete", 0) == 0
    world.run(600)
    assert gate.counts("queue.runs")["queue.runs.receive"] == looks


def test_short_of_time_an_invocation_leaves_hints_to_the_next(invoked: Make) -> None:
    """What comes in the last seconds is followed by the next one, as is what is handed over."""
    world = invoked(lasts=60.0)
    chats(world)
    world.write("sleep 100")
    world.run(40)
    world.write("sleep 40", chat=CHATS[0])
    world.run(15)
    assert world.shown(CHATS[0]) == []
    world.run()
    assert (world.shown(), world.shown(CHATS[0])) == (["slept 100"], ["slept 40"])
    assert world.begun == 2


@pytest.mark.parametrize("point", ["queue.runs.receive", "queue.runs.delete"])
def test_trouble_with_the_queue_costs_no_run(invoked: Make, point: str) -> None:
    """Looks that fail are told, and what is followed goes on; so is a hint that was not deleted."""
    world = invoked(gate=PlannedGate(lambda called: REFUSED if called == point else Passage()))
    chats(world)
    world.write("sleep 30")
    world.run(3)
    world.write("sleep 30", chat=CHATS[0])
    world.run()
    assert (world.shown(), world.shown(CHATS[0])) == (["slept 30"], ["slept 30"])
    assert any(line["event"] == "hint" for line in world.lines)


def test_a_hint_that_failed_comes_again(invoked: Make) -> None:
    """The store fails one hint that was taken: that is told, the run is found again and shown."""
    failing: list[str] = []

    def plan(point: str) -> Passage:
        taken = failing and world.watch.taken - {failing[0]}
        return REFUSED if taken and point.startswith("store.") else Passage()

    world = invoked(gate=PlannedGate(plan))
    chats(world)
    world.write("sleep 30")
    world.run(3)
    failing.extend(world.watch.taken)
    world.write("sleep 30", chat=CHATS[0])
    world.run(20)
    assert any(line["event"] == "hint" for line in world.lines)
    failing.clear()
    world.run()
    assert (world.shown(), world.shown(CHATS[0])) == (["slept 30"], ["slept 30"])
