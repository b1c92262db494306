"""`/stop` and `/new` where it is hard: a long backlog, a lost call, a mention, a used-up rate."""

from collections.abc import Callable

from tests.simulation.github import answered_for, comment
from tests.simulation.world import Simulation, settings_with
from threadline.app.configure.values import MAX_BACKLOG
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def test_new_drops_the_longest_backlog_there_can_be(simulate: Make) -> None:
    """`/new` drops as many messages as a configuration lets wait, and says how many."""
    world = simulate(settings=settings_with({"backlog": MAX_BACKLOG}))
    world.write("sleep 500")
    world.run(2)
    for number in range(MAX_BACKLOG):
        world.write(f"message {number}")
    world.run(20)
    world.write("/new")
    world.run(60)
    assert say("new_dropped", "en", count=MAX_BACKLOG) in world.shown()


def test_stop_does_not_claim_what_it_cannot_know(simulate: Make) -> None:
    """A run may be there and the agent is away: `/stop` says that it failed, not "stopped"."""
    away: list[bool] = []

    def plan(point: str) -> Passage:
        if point == "http.create run" and not away:
            away.append(True)
            world.agent.down = True
            return Passage(after=ConnectionResetError())
        return Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("sleep 900")
    world.run(3)
    world.write("/stop")
    world.run(10)
    assert say("stopped", "en") not in world.shown()
    assert say("command_failed", "en", command="stop") in world.shown()


def test_stop_works_for_a_capped_conversation(simulate: Make) -> None:
    """`/stop` stops also where the conversation's rate is used up."""
    world = simulate(settings=settings_with({"rate": 2}))
    world.write("sleep 600")
    world.run(2)
    world.write("second")
    world.run(2)
    world.write("/stop")
    world.run(20)
    assert world.agent.runs()[0].cancelled_at is not None


def test_a_mention_before_a_command_is_no_part_of_it(simulate: Make) -> None:
    """On GitHub, where a binding wants a mention, `@helper /stop` stops and starts no run."""
    world = simulate(settings=answered_for("alice", mention="helper"))
    world.agent.pace = 300.0
    comment(world, 1, "@helper please look at this")
    comment(world, 2, "@helper /stop")
    (only,) = world.agent.runs()
    assert only.cancelled_at is not None
    comment(world, 3, "/stop")
    assert len(world.agent.runs()) == 1
