"""What happens in turns is counted: each metric by what a person or an operator would see."""

from collections.abc import Callable, Iterator

import pytest

from tests.simulation.world import Simulation
from tests.stubs.telegram import Fault
from threadline.backends.metrics import METRICS, counted
from threadline.backends.outgoing import Passage, PlannedGate

type Make = Callable[..., Simulation]
type Plan = Callable[[str], Passage]

BY_PLATFORM = {"Accepted", "RunsStarted", "TurnTime", "Posts"}
ELSEWHERE = {"SocketsDeaf"}
"""What no turn counts: the host of sockets, whose own tests see its alarms."""

WITHOUT_A_PLACE = {"TurnsOverdue"}
"""What is counted over all conversations at once."""


def everyday(world: Simulation) -> None:
    """Somebody is answered."""
    world.write("hello")


def redelivered(world: Simulation) -> None:
    """The platform sends a message again."""
    update = world.write("hello")
    world.run(60)
    world.clock.advance(360)
    world.post(update)


def busy(world: Simulation) -> None:
    """Somebody writes again while the agent is at work."""
    world.write("sleep 20")
    world.run(5)
    world.write("and more")


def unreadable(world: Simulation) -> None:
    """A body comes that is no update."""
    world.post({"unheard": "of"})


def forged(world: Simulation) -> None:
    """A delivery comes with another secret."""
    world.post(world.telegram.say(77, "hello"), secret="somebody-elses")


def lost(world: Simulation) -> None:
    """Neither the queue nor the bucket takes a message."""
    world.post(world.telegram.say(77, "hello"))


def refused(world: Simulation) -> None:
    """The chat takes no answer."""
    world.telegram.fault("sendMessage", Fault.status(400), times=20)
    world.write("hello")


def locked_out(world: Simulation) -> None:
    """The bot's token is no longer valid."""
    world.telegram.fault("sendMessage", Fault.status(401), times=20)
    world.write("hello")


def failed(world: Simulation) -> None:
    """The agent's run ends with an error."""
    world.write("boom")


def forgotten(world: Simulation) -> None:
    """The agent does not answer, and the timer that would have it asked again is lost."""
    world.agent.down = True
    world.write("hello")
    world.run(5)
    timers = world.ports.ports.queues.timers
    world.clock.advance(60)
    while found := timers.receive(10, visibility=60.0):
        timers.delete([one.receipt for one in found])


def turned_down(world: Simulation) -> None:
    """The agent will not take the message."""
    world.agent.faults["POST runs"] = [422]
    world.write("hello")


def fails(point: str, times: int) -> Plan:
    """Plan that the first calls of a point fail."""
    left = [times]

    def plan(passed: str) -> Passage:
        if passed.startswith(point) and left[0]:
            left[0] -= 1
            return Passage(before=ConnectionRefusedError("away"))
        return Passage()

    return plan


def neither_queue_nor_bucket(passed: str) -> Passage:
    """Plan that nothing takes a message."""
    away = passed.startswith(("queue.mailbox.send", "blobs.put"))
    return Passage(before=ConnectionRefusedError("away")) if away else Passage()


SCENES: dict[str, tuple[Callable[[Simulation], None], Plan]] = {
    **dict.fromkeys(
        ("Accepted", "QueueTime", "RunsStarted", "TimeToFirstText", "TurnTime", "Posts"),
        (everyday, lambda _: Passage()),
    ),
    "Duplicates": (redelivered, lambda _: Passage()),
    "Busy": (busy, lambda _: Passage()),
    "Ignored": (unreadable, lambda _: Passage()),
    "SignatureFailures": (forged, lambda _: Passage()),
    "NotKept": (lost, neither_queue_nor_bucket),
    "Retries": (everyday, fails("store.write", 1)),
    "Poisoned": (everyday, fails("store.get", 5)),
    "TurnsFailed": (failed, lambda _: Passage()),
    "PostsFailed": (refused, lambda _: Passage()),
    "CredentialsRejected": (locked_out, lambda _: Passage()),
    "TurnsGivenUp": (turned_down, lambda _: Passage()),
    "TurnsOverdue": (forgotten, lambda _: Passage()),
}


@pytest.mark.parametrize("name", sorted(SCENES))
def test_what_happened_is_counted(simulate: Make, name: str) -> None:
    """Each metric is written when its event comes about, with its platform in the line."""
    happens, plan = SCENES[name]
    world = simulate(gate=PlannedGate(plan))
    happens(world)
    world.run(900)
    written = [line for line in lines(world) if name in line]
    assert written, [line["event"] for line in world.lines]
    for line in written:
        assert isinstance(line[name], int | float)
        if name not in WITHOUT_A_PLACE:
            assert line["platform"] == "telegram", line


def test_every_metric_has_its_scene() -> None:
    """No metric is counted that no test has seen; four of them are billed by platform."""
    names = {metric.name for metric in METRICS}
    assert names == SCENES.keys() | ELSEWHERE
    assert {metric.name for metric in METRICS if metric.by_platform} == BY_PLATFORM


def test_what_is_ignored_says_why(simulate: Make) -> None:
    """Of what led to nothing the line tells the reason, by which a query counts."""
    world = simulate()
    unreadable(world)
    (line,) = (line for line in lines(world) if "Ignored" in line)
    assert line["reason"] == "unreadable"


def lines(world: Simulation) -> Iterator[dict[str, object]]:
    """Yield the lines of the log as CloudWatch gets them."""
    for line in world.lines:
        fields = {name: value for name, value in line.items() if name != "event"}
        yield {**line, **counted(line["event"], fields, "dev", world.clock.now())}
