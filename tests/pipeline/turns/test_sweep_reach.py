"""The sweep finds what a lost hint or timer left behind, whatever else waits."""

from collections.abc import Callable

from functions.dispatch import handler as dispatch_handler
from tests.simulation.roles import role
from tests.simulation.waiting import PLACE, store, waiting_post
from tests.simulation.world import Simulation
from tests.stubs.telegram import Fault
from threadline.app import items
from threadline.core.ports import Expect, Item, Key, Put, Queue
from threadline.core.records import Cooling

type Make = Callable[..., Simulation]

OTHER = 88


def lose(queue: Queue) -> None:
    """Let everything that waits in a queue be lost."""
    while found := queue.receive(10, visibility=60.0):
        queue.delete([one.receipt for one in found])


def unreadable(number: int) -> Put:
    """Give a conversation that a later version wrote and this one cannot move."""
    key = Key("conversations", f"old/{number}", "conversation")
    later = Item(key, {"schema": 99, "kind": "conversation"}, due=("conversation", 1.0 + number))
    return Put(later, Expect.ABSENT)


def test_rows_nobody_can_move_do_not_starve_the_others(simulate: Make) -> None:
    """However many conversations cannot be moved, the sweep reaches the one behind them."""
    world = simulate()
    store(world, map(unreadable, range(600)))
    world.agent.down = True
    world.write("hello")
    world.run(5)
    world.clock.advance(60)
    world.agent.down = False
    lose(world.ports.ports.queues.timers)
    world.run(900)
    assert world.shown() == ["echo: hello"]


def test_a_chat_with_many_open_posts_does_not_starve_the_others(simulate: Make) -> None:
    """However much waits for a cooling chat, the sweep finds what waits for another."""
    world = simulate()
    world.telegram.add_chat(OTHER)
    earlier = world.clock.now() - 100
    store(world, [waiting_post(number, earlier) for number in range(600)])
    cooling = Cooling(items.destination_of(PLACE), world.clock.now() + 7200)
    store(world, [Put(items.cooling_item(cooling), Expect.ANY)])
    world.write("/help", chat=OTHER)
    with role("dispatch"):
        world._feed("mailbox", dispatch_handler.handler)
    lose(world.ports.ports.queues.outbox)
    assert world.shown(OTHER) == []
    world.run(1200)
    assert len(world.shown(OTHER)) == 1


def test_a_chat_that_cools_for_hours_has_few_timers(simulate: Make) -> None:
    """However long a chat refuses, what waits for it keeps a bounded number of timers."""
    world = simulate()
    world.telegram.fault("sendMessage", Fault.too_many(1800), times=1000)
    for _ in range(3):
        world.write("/help")
    world.run(5400)
    timers = world.ports.ports.queues.timers
    assert timers.depth() < 10  # type: ignore[attr-defined]
    assert len(world.telegram.calls_of("sendMessage")) < 10
