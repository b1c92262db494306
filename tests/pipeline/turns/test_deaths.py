"""A process that dies anywhere: the answer still comes, once."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulation.letters import letters_of
from tests.simulation.world import CHAT, VISIBILITY, Killed, Simulation
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def dies_at(point: str, number: int, *, after: bool) -> PlannedGate:
    """Make a gate that kills the process at the n-th call of a point, before or after it."""
    met: list[str] = []

    def plan(passed: str) -> Passage:
        if passed == point:
            met.append(passed)
            if len(met) == number:
                return Passage(after=Killed()) if after else Passage(before=Killed())
        return Passage()

    return PlannedGate(plan)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("point", "number"),
    [
        ("http.create run", 1),
        ("store.write", 1),
        ("store.write", 2),
        ("queue.runs.send", 1),
        ("store.write", 3),
        ("store.write", 4),
        ("http.follow run piece", 2),
        ("http.read run", 1),
        ("store.write", 5),
        ("store.write", 6),
        ("queue.mailbox.send", 2),
        ("store.write", 7),
    ],
)
def test_a_death_costs_neither_run_nor_answer(
    simulate: Make, point: str, number: int, after: bool
) -> None:
    """Killed before or after any step, the message has one run and its answer stands once."""
    world = simulate(gate=dies_at(point, number, after=after))
    world.write("sleep 4")
    world.run()
    assert world.deaths == 1
    assert len(world.agent.runs()) == 1
    assert world.shown().count("slept 4") == 1
    world.write("and on")
    world.run()
    assert world.shown()[-1] == "echo: and on"


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_death_while_posting_is_never_repeated_blindly(simulate: Make, after: bool) -> None:
    """A first sign of life whose fate is unknown is settled as unknown; the answer comes once."""
    world = simulate(gate=dies_at("http.telegram sendMessage", 1, after=after))
    world.write("sleep 4")
    world.run()
    assert world.deaths == 1
    assert world.shown().count("slept 4") == 1
    assert len(world.agent.runs()) == 1


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_death_while_editing_ends_with_the_answer(simulate: Make, after: bool) -> None:
    """The final edit is repeated by whoever comes next: the answer stands, in one post."""
    world = simulate(gate=dies_at("http.telegram editMessageText", 3, after=after))
    world.write("hello")
    world.run()
    assert world.deaths == 1
    assert world.shown() == ["echo: hello"]


def test_a_failure_that_cannot_be_noted_is_no_death(simulate: Make) -> None:
    """One death, and then an outage in which not even the failure is written: no dead letter."""
    wrong = {
        ("store.get", 1): Passage(after=Killed()),
        ("store.get", 2): Passage(before=ConnectionRefusedError()),
        ("store.write", 2): Passage(before=ConnectionRefusedError()),
    }
    met: Counter[str] = Counter()

    def plan(point: str) -> Passage:
        met[point] += 1
        return wrong.pop((point, met[point]), Passage())

    world = simulate(gate=PlannedGate(plan))
    world.write("hello")
    world.run()
    assert wrong == {}
    assert world.shown() == ["echo: hello"]
    assert letters_of(world).letters() == ()


@pytest.mark.parametrize("first", ["throttled", "killed"])
def test_an_outage_of_everything_is_no_death(simulate: Make, first: str) -> None:
    """Neither is the failure written nor the mail hidden for less: it comes late, and is run."""
    away: list[float] = []
    deaths = [Killed()] if first == "killed" else []

    def plan(passed: str) -> Passage:
        if passed == "store.get" and deaths:
            return Passage(before=deaths.pop())
        if passed == "store.get" and not away:
            away.append(world.clock.now() + 45)
        if away and world.clock.now() < away[0] and not passed.startswith("http."):
            return Passage(before=ConnectionRefusedError())
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("hello")
    if first == "throttled":
        assert world.ports.ports.queues.mailbox.receive(1, visibility=VISIBILITY["mailbox"])
    world.run()
    assert away
    assert world.shown() == ["echo: hello"]
    assert letters_of(world).letters() == ()


class BackAtOnce(Simulation):
    """A process that is begun anew the moment it dies, as `serve` under a supervisor."""

    def boot(self) -> None:
        """Give back what was in flight: its receivers are dead."""
        Simulation.boot(self)
        queue = self.ports.ports.queues.mailbox
        assert isinstance(queue, SqliteQueue)
        queue.release()


def test_a_mail_that_kills_a_process_that_is_back_at_once(tmp_path: Path) -> None:
    """It ends among the dead letters and its sender is told; what is behind it is answered."""
    deaths: list[Passage] = [Passage(before=Killed())] * 30

    def plan(passed: str) -> Passage:
        handling = passed == "store.get" and gate.points[-2] != "store.query"
        mine = handling and deaths and len(world.telegram.shown(CHAT)) == 2
        return deaths.pop() if mine else Passage()

    gate = PlannedGate(plan)
    world = BackAtOnce(tmp_path, gate=gate)
    world.write("a killer")
    world.write("hello")
    world.run(600)
    assert world.deaths < 8
    assert world.shown()[-1] == "echo: hello"
    assert say("not_taken", "en") in world.shown()
    assert [one.reason for one in letters_of(world).letters()] == ["poison"]
    world.close()


def test_two_kills_in_a_row_are_no_poison_where_the_process_is_back_at_once(
    tmp_path: Path,
) -> None:
    """Whoever restarts `serve` a few times under load loses no message to it."""
    deaths: list[Passage] = [Passage(before=Killed())] * 3

    def plan(passed: str) -> Passage:
        return deaths.pop() if passed == "store.get" and deaths else Passage()

    world = BackAtOnce(tmp_path, gate=PlannedGate(plan))
    world.write("hello")
    world.run(600)
    assert world.deaths == 3
    assert world.shown() == ["echo: hello"]
    assert letters_of(world).letters() == ()
    world.close()


def test_a_mail_that_cannot_even_be_given_up_blocks_its_chat_for_minutes_only(
    simulate: Make,
) -> None:
    """Where telling its sender fails for a fault of ours, the queue itself sets it aside."""
    wrong = [True]

    def plan(passed: str) -> Passage:
        first = passed == "store.get" and len(world.asked()) == 0 and wrong
        return Passage(before=ConnectionRefusedError()) if first else Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("hello")
    world.write("and more")
    world.run(1200, until=lambda: world.ports.ports.queues.dead.depth() > 0)  # type: ignore[attr-defined]
    wrong.clear()
    world.run(1200)
    assert world.shown() == ["echo: and more"]
    (letter,) = letters_of(world).letters()
    assert letter.reason == "not handled"
