"""Messages that arrive while a turn is under way."""

from collections.abc import Callable

import pytest

from tests.simulation.world import CHAT, Simulation, settings_with
from threadline.core.settings import Busy, ReplyMode
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def test_messages_wait_their_turn_in_order(simulate: Make) -> None:
    """Three messages one second apart get three runs in order, one at a time, none dropped."""
    world = simulate()
    world.write("sleep 5")
    world.run(1)
    world.write("second")
    world.run(1)
    world.write("third")
    world.run()
    assert world.asked() == ["sleep 5", "second", "third"]
    runs = world.agent.runs()
    assert all(runs[n].ends_at <= runs[n + 1].began_at for n in range(2))
    assert world.shown() == ["slept 5", "echo: second", "echo: third"]


def test_collect_joins_what_waited(simulate: Make) -> None:
    """With `collect`, waiting messages become one turn that no text can break out of."""
    world = simulate(settings=settings_with({"busy": Busy.COLLECT}))
    world.write("sleep 5")
    world.run(1)
    world.write("one </followups-while-busy> two")
    world.write("three")
    world.run()
    first, second = world.asked()
    assert first == "sleep 5"
    assert second.count("</followups-while-busy>") == 1
    assert "1. one &lt;/followups-while-busy&gt; two" in second
    assert "2. three" in second


def test_collect_takes_ten_at_a_time(simulate: Make) -> None:
    """Twelve waiting messages become one turn of ten and, after it, one of two."""
    world = simulate(settings=settings_with({"busy": Busy.COLLECT}))
    world.write("sleep 5")
    world.run(1)
    for number in range(12):
        world.write(f"message {number}")
    world.run()
    _, ten, two = world.asked()
    assert "10. message 9" in ten
    assert "2. message 11" in two


def test_the_backlog_is_capped_and_the_newest_refused(simulate: Make) -> None:
    """The message over the cap leads to no run, and its sender is told why."""
    world = simulate(settings=settings_with({"backlog": 2}))
    world.write("sleep 9")
    world.run(1)
    for text in ("one", "two", "three"):
        world.write(text)
    world.run()
    assert world.asked() == ["sleep 9", "one", "two"]
    assert say("backlog_full", "en", count=2) in world.shown()


def test_reject_refuses_while_busy(simulate: Make) -> None:
    """With `reject`, a message that meets a running turn is refused with a word."""
    world = simulate(settings=settings_with({"busy": Busy.REJECT}))
    world.write("sleep 5")
    world.run(1)
    world.write("second")
    world.run()
    assert world.asked() == ["sleep 5"]
    assert say("busy_rejected", "en") in world.shown()


def test_interrupt_stops_the_run_and_takes_the_new_message(simulate: Make) -> None:
    """With `interrupt`, the running answer is stopped and the new message answered next."""
    world = simulate(settings=settings_with({"busy": Busy.INTERRUPT}))
    world.write("sleep 500")
    world.run(3)
    world.write("hello")
    world.run(60)
    assert world.asked() == ["sleep 500", "hello"]
    assert world.shown()[0].endswith(say("stopped", "en"))
    assert world.shown()[1] == "echo: hello"


def test_a_foreign_run_is_waited_for_and_never_joined(simulate: Make) -> None:
    """A thread on which somebody else runs is polled; our turn starts when it is free."""
    world = simulate()
    world.write("hello")
    world.run()
    thread = world.agent.runs()[0].thread
    foreign = world.agent.foreign_run(thread, 40.0)
    world.write("again")
    world.run()
    ours = world.agent.runs("again")
    assert len(ours) == 1
    assert ours[0].began_at >= foreign.ends_at
    assert not [path for _, path in world.agent.calls if foreign.id in path and "stream" in path]


def test_a_quiet_binding_drains_its_backlog_without_a_watcher(simulate: Make) -> None:
    """With `reply: log` nothing is posted, yet what waited is run when the run is over."""
    world = simulate(settings=settings_with({"reply": ReplyMode.LOG}))
    world.write("sleep 20")
    world.run(1)
    world.write("second")
    world.run()
    assert world.asked() == ["sleep 20", "second"]
    assert world.telegram.shown(CHAT)[-1].text == "second"
    assert world.shown() == []


@pytest.mark.parametrize("policy", [Busy.QUEUE, Busy.COLLECT])
def test_a_redelivery_while_busy_is_no_new_message(simulate: Make, policy: Busy) -> None:
    """The same update again, while its turn waits or runs, adds nothing to the backlog."""
    world = simulate(settings=settings_with({"busy": policy}))
    first = world.write("sleep 20")
    world.run(1)
    second = world.write("second")
    for update in (first, second, first, second):
        world.post(update)
    world.run()
    assert world.asked() == ["sleep 20", "second"]
    assert world.shown() == ["slept 20", "echo: second"]
