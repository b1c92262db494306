"""Commands that change a Gateway's thread: each has a turn, behind what runs and what waits."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.turns.test_deaths import dies_at
from tests.simulation.deerflow import GatewaySimulation, NewerSimulation, PersonalSimulation
from tests.simulation.deerflow_chats import FeishuOfDeerFlow, SlackOfDeerFlow
from tests.simulation.feishu import GROUP
from tests.simulation.slack import GENERAL
from tests.simulation.world import settings_with
from tests.stubs.deerflow_runs import GatewayRun
from tests.stubs.slack_channels import BOT
from threadline.agents.deerflow.message import BOOTSTRAP
from threadline.core.settings import Busy
from threadline.core.texts import say

type Make = Callable[..., GatewaySimulation]

KINDS = (GatewaySimulation, NewerSimulation, PersonalSimulation)
NO_GOAL = "No goal is set here."


@pytest.fixture(params=KINDS, ids=["older", "newer", "personal"])
def simulate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Give a maker of simulations with a Gateway of each kind."""
    made: list[GatewaySimulation] = []

    def make(**how: Any) -> GatewaySimulation:
        made.append(request.param(tmp_path / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()
        assert one.gateway.takeovers == []


def goal(world: GatewaySimulation) -> str:
    """Give the goal of the only thread."""
    return next(iter(world.gateway.goals.values()), "")


def puts(world: GatewaySimulation) -> int:
    """Count how often a goal was set."""
    return sum(method == "PUT" for method, _ in world.gateway.calls)


def test_a_goal_is_set_and_pursued(simulate: Make) -> None:
    """In a new conversation: thread, goal, and a run of its words; nothing is said beside it."""
    world = simulate()
    world.write("/goal  ship   it")
    world.run()
    assert goal(world) == "ship it"
    assert world.asked() == ["ship   it"]
    assert world.shown() == ["echo: ship   it"]


def test_a_goal_waits_for_the_run(simulate: Make) -> None:
    """Given during a run it is set when that is over, before what was written after it."""
    world = simulate()
    world.write("sleep 20")
    world.run(5)
    world.write("/goal ship it")
    world.write("hello")
    world.run(5)
    assert goal(world) == ""
    world.run()
    assert goal(world) == "ship it"
    assert world.asked() == ["sleep 20", "ship it", "hello"]
    assert world.shown() == ["slept 20", "echo: ship it", "echo: hello"]


def test_questions_about_the_goal_keep_their_place(simulate: Make) -> None:
    """What is read or cleared behind a goal that waits sees that goal; neither makes a run."""
    world = simulate()
    world.write("sleep 20")
    world.run(5)
    for text in ("/goal", "/goal ship it", "/goal", "/goal off", "/goal"):
        world.write(text)
    world.run()
    assert world.asked() == ["sleep 20", "ship it"]
    assert world.shown() == [
        "slept 20", NO_GOAL, "echo: ship it", "Goal: ship it", "The goal is cleared.", NO_GOAL,
    ]  # fmt: skip
    assert goal(world) == ""


def test_of_a_conversation_that_has_not_begun_nothing_is_asked(simulate: Make) -> None:
    """Reading or clearing a goal makes no thread."""
    world = simulate()
    for text in ("/goal", "/goal clear"):
        world.write(text)
        world.run()
    assert world.shown() == [NO_GOAL, "The goal is cleared."]
    assert (world.gateway.calls, world.asked()) == ([], [])


def test_bootstrap_is_a_run_of_its_own_kind(simulate: Make) -> None:
    """It waits like a message; its run knows what it is, and the next one is like any other."""
    world = simulate()
    world.write("sleep 20")
    world.run(5)
    for text in ("/bootstrap", "/bootstrap use tabs", "hello"):
        world.write(text)
    world.run()
    assert world.asked() == ["sleep 20", BOOTSTRAP, "use tabs", "hello"]
    runs = [run for run in world.agent.runs() if isinstance(run, GatewayRun)]
    kinds = [run.context.get("is_bootstrap", False) for run in runs]
    assert kinds == [False, True, True, False]


def test_a_foreign_run_is_waited_for(simulate: Make) -> None:
    """A thread that somebody else runs on takes no goal: it is set when that run is over."""
    world = simulate()
    world.write("hello")
    world.run()
    world.gateway.foreign_run(next(iter(world.gateway.threads)), 40.0)
    world.write("/goal ship it")
    world.run(20)
    assert goal(world) == ""
    world.run()
    assert goal(world) == "ship it"
    assert world.shown()[-1] == "echo: ship it"


def test_a_goal_that_is_refused_starts_no_run(simulate: Make) -> None:
    """What the Gateway does not take is said, is no run, and does not hold up what follows."""
    world = simulate()
    world.write("hello")
    world.run()
    world.gateway.faults["PUT goal"] = [422]
    world.write("/goal ship it")
    world.run()
    world.write("again")
    world.run()
    assert world.asked() == ["hello", "again"]
    assert world.shown()[1:] == [say("agent_rejected", "en"), "echo: again"]


def test_a_goal_beyond_all_measure_is_told(simulate: Make) -> None:
    """Nothing is asked of the Gateway, and the conversation goes on."""
    world = simulate()
    world.write("/goal " + "x" * 4050)
    world.run()
    assert world.shown() == ["A goal has at most 4000 characters."]
    assert world.gateway.calls == []


@pytest.mark.parametrize("fault", [502, 503])
def test_a_goal_outlasts_trouble(simulate: Make, fault: int) -> None:
    """A Gateway that fails at it is asked again, and the run starts once."""
    world = simulate()
    world.gateway.faults["PUT goal"] = [fault, fault]
    world.write("/goal ship it")
    world.run()
    assert world.shown() == ["echo: ship it"]
    assert (goal(world), puts(world)) == ("ship it", 3)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("call", ["http.goal", "http.create run"])
def test_a_death_in_a_goal_is_made_good(simulate: Make, call: str, after: bool) -> None:
    """Killed around either call: the goal stands, and its words run once."""
    world = simulate(gate=dies_at(call, 1, after=after))
    world.write("/goal ship it")
    world.run()
    assert world.deaths == 1
    assert goal(world) == "ship it"
    assert world.asked() == ["ship it"]
    assert world.shown() == ["echo: ship it"]


@pytest.mark.parametrize("command", ["/goal ship it", "/bootstrap"])
def test_stop_and_new_reach_what_waits(simulate: Make, command: str) -> None:
    """A command that waits is dropped by `/new` like a message."""
    world = simulate()
    world.write("sleep 20")
    world.run(5)
    world.write(command)
    world.run(1)
    world.write("/new")
    world.run()
    assert world.asked() == ["sleep 20"]
    assert goal(world) == ""
    assert say("new_dropped", "en", count=1) in world.shown()


def test_an_edit_of_a_waiting_goal_is_that_goal(simulate: Make) -> None:
    """Corrected while it waits, the goal is set as corrected."""
    world = simulate()
    world.write("sleep 20")
    world.run(5)
    update = world.write("/goal shop it")
    edited = {**update["message"], "text": "/goal ship it", "edit_date": int(world.clock.now())}
    world.insist({"update_id": update["update_id"] + 1000, "edited_message": edited})
    world.run()
    assert goal(world) == "ship it"
    assert world.asked() == ["sleep 20", "ship it"]


def test_a_goal_answers_no_question(simulate: Make) -> None:
    """While the agent waits for an answer a goal waits for it, too."""
    world = simulate()
    world.write("choose")
    world.run(20)
    world.write("/goal ship it")
    world.run(20)
    assert goal(world) == ""
    world.write("blue")
    world.run()
    assert world.asked() == ["choose", "blue", "ship it"]


def test_collected_messages_leave_a_goal_alone(simulate: Make) -> None:
    """Where waiting messages become one turn, a command between them has its own."""
    world = simulate(settings=settings_with({"busy": Busy.COLLECT}))
    world.write("sleep 20")
    world.run(5)
    for text in ("one", "two", "/goal ship it", "three", "four"):
        world.write(text)
    world.run()
    _, first, second, third = world.asked()
    assert ("1. one" in first, "2. two" in first) == (True, True)
    assert second == "ship it"
    assert ("1. three" in third, "2. four" in third) == (True, True)


def test_a_goal_redelivered_is_set_once(simulate: Make) -> None:
    """The same message again, much later, changes nothing."""
    world = simulate()
    update = world.write("/goal ship it")
    world.run()
    world.clock.advance(400)
    world.insist(update)
    world.run()
    assert (puts(world), len(world.asked())) == (1, 1)


@pytest.mark.parametrize("kind", [SlackOfDeerFlow, FeishuOfDeerFlow])
def test_a_goal_in_a_group_follows_a_mention(tmp_path: Path, kind: Any) -> None:
    """Behind the bot's name it is the same command; its run says who wants it, its goal not."""
    world = kind(tmp_path)
    if isinstance(world, SlackOfDeerFlow):
        event = world.hear(f"<@{BOT}> /goal ship it", channel=GENERAL)
        world.deliver(world.slack.mention_of(event))
    else:
        world.hear("/goal ship it", GROUP)
    world.run()
    assert list(world.gateway.goals.values()) == ["ship it"]
    (asked,) = world.asked()
    assert asked.endswith("ship it")
    assert "/goal" not in asked
    world.close()
