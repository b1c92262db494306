"""Tasks that follow runs look after each other."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from long_running.peers import BEAT_EVERY, LATE, Peers
from tests.simulation import world as simulated
from tests.simulation.world import CHAT, Simulation
from threadline.app import lease
from threadline.backends.outgoing import CountingGate

BOUND = BEAT_EVERY + LATE + lease.LENGTH + BEAT_EVERY


@dataclass(slots=True)
class Two:
    """A task that follows a run of some minutes, and another one beside it; nobody sweeps."""

    world: Simulation
    gate: CountingGate
    first: Peers = field(init=False)
    second: Peers = field(init=False)

    def __post_init__(self) -> None:
        clock = self.world.clock
        self.first = Peers(self.world.world, clock.passed)
        self.second = Peers(self.world.twin.world, clock.passed)
        self.world.write("sleep 600")
        self.world.run(BEAT_EVERY)
        assert self.world.watch.followed
        self.live(20.0, self.first, self.second)

    def live(self, seconds: float, *peers: Peers) -> None:
        """Let time pass, these tasks looking; stop where somebody begins to follow."""
        until = self.world.clock.now() + seconds
        nobody = not self.world.watch.followed
        while self.world.clock.now() < until:
            for one in peers:
                one.look()
            self.world.run(BEAT_EVERY)
            if nobody and self.world.watch.followed:
                return

    def hints(self) -> int:
        """Count the hints that were sent."""
        return self.gate.counts("queue.runs")["queue.runs.send"]


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Two]:
    """Give two tasks; hints that the dead one held stay hidden."""
    monkeypatch.setitem(simulated.VISIBILITY, "runs", 960.0)
    monkeypatch.setattr(Simulation, "sweep", lambda _: None)
    monkeypatch.setattr(Simulation, "_idle_step", lambda _: 0.5)
    gate = CountingGate()
    world = Simulation(tmp_path / "state", gate=gate)
    yield Two(world, gate)
    world.close()


def test_who_lives_is_left_alone(two: Two) -> None:
    """Two tasks that both live hint at nothing of each other's."""
    two.live(300.0, two.first, two.second)
    assert two.hints() == 1


def test_a_dead_tasks_run_is_followed_again(two: Two) -> None:
    """Where a task dies its run is taken up within 75 s, once, and its item is gone."""
    two.world.kill()
    died = two.world.clock.now()
    two.live(300.0, two.second)
    assert two.world.clock.now() - died <= BOUND
    two.live(100.0, two.second)
    assert two.hints() == 2
    left = two.world.ports.ports.store.query("settings", "followers")
    assert [item.key.sort for item in left] == [two.second.world.holder]
    two.world.run()
    assert two.world.shown() == ["slept 600"]


def test_a_run_taken_just_before_death_is_found_too(two: Two) -> None:
    """What a task took after it had been looked at, and died with, is found as well."""
    two.world.telegram.add_chat(CHAT + 1)
    two.world.write("sleep 500", chat=CHAT + 1)
    two.first.look()
    newcomer = Peers(two.second.world, two.world.clock.passed)
    newcomer.look()
    two.world.run(2.0)
    assert len(two.world.watch.followed) == 2
    two.world.kill()
    died = two.world.clock.now()
    two.live(300.0, newcomer)
    two.live(2 * BEAT_EVERY, newcomer)
    assert len(two.world.watch.followed) == 2
    assert two.world.clock.now() - died <= BOUND


def test_a_task_that_begins_finds_what_a_dead_one_held(two: Two) -> None:
    """Who comes new suspects whom it does not know, and takes nothing before its lease stood."""
    two.world.kill()
    died = two.world.clock.now()
    newcomer = Peers(two.world.world, two.world.clock.passed)
    two.live(lease.LENGTH - BEAT_EVERY, newcomer)
    assert two.hints() == 1
    two.live(300.0, newcomer)
    assert two.world.clock.now() - died <= lease.LENGTH + 2 * BEAT_EVERY
    assert two.hints() == 2


def test_a_silent_task_that_renews_keeps_its_runs(two: Two) -> None:
    """Signs of life that fail cost nobody a run: the run's own lease has to stand still."""
    two.live(300.0, two.second)
    assert two.hints() == 1


def test_who_leaves_is_not_looked_for(two: Two) -> None:
    """A task that said that it leaves has handed over itself."""
    two.first.leave()
    two.live(100.0, two.second)
    assert not [line for line in two.world.lines if line["event"] == "follower"]
