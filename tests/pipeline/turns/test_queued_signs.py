"""A post that says that a message waits: whatever becomes of the message, it never says so on."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.simulation.deerflow_chats import FeishuOfDeerFlow, SlackOfDeerFlow
from tests.simulation.feishu import feishu_settings
from tests.simulation.slack import slack_settings
from threadline.core.settings import Settings
from threadline.core.texts import say

type World = SlackOfDeerFlow | FeishuOfDeerFlow
type Make = Callable[..., World]

QUEUED, DROPPED = say("queued", "en"), say("dropped", "en")
KINDS = ((SlackOfDeerFlow, slack_settings), (FeishuOfDeerFlow, feishu_settings))


@pytest.fixture(params=KINDS, ids=["slack", "feishu"])
def simulate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Give a maker of worlds whose chats show that a message waits, as configured."""
    kind, settings_of = request.param
    made: list[World] = []

    def make(**how: object) -> World:
        made.append(kind(tmp_path / str(len(made)), settings=settings_of(**how)))
        return made[-1]

    yield make
    for one in made:
        one.close()


def busy(world: World, *texts: str) -> None:
    """Let a run go on, and messages wait behind it, each with its sign."""
    world.hear("sleep 60")
    world.run(5)
    for text in texts:
        world.hear(text)
    world.run(3)
    assert world.said()[1:] == [QUEUED] * len(texts)


def test_new_says_which_messages_it_dropped(simulate: Make) -> None:
    """Each waiting message's post says that it was dropped."""
    world = simulate()
    busy(world, "one", "two")
    world.hear("/new")
    world.run()
    assert QUEUED not in world.said()
    assert world.said()[1:3] == [DROPPED, DROPPED]
    assert say("new_dropped", "en", count=2) in world.said()


def test_a_full_backlog_is_dropped_whole(simulate: Make) -> None:
    """Also forty posts of waiting messages say so."""
    world = simulate(binding={"backlog": 40})
    world.hear("sleep 600")
    world.run(5)
    for number in range(40):
        world.hear(f"number {number}")
        world.run(2)
    world.hear("/new")
    world.run()
    assert (world.said().count(DROPPED), world.said().count(QUEUED)) == (40, 0)


def test_an_answer_without_a_run_stands_where_it_was_waited_for(simulate: Make) -> None:
    """What the goal is, asked during a run, is said in the post that said to wait."""
    world = simulate()
    busy(world, "/goal ship it", "/goal")
    world.run()
    assert world.said() == ["slept 60", "echo: ship it", "Goal: ship it"]


def test_giving_up_is_said_where_it_was_waited_for(simulate: Make) -> None:
    """A message whose turn comes while the agent is gone for long: its own post says so."""
    world = simulate(give_up=600.0)
    busy(world, "hello")
    world.gateway.faults["POST runs"] = [503] * 1000
    world.run()
    assert world.said()[:2] == ["slept 60", say("gave_up", "en")]


def test_stop_before_the_run_is_said_there_too(simulate: Make) -> None:
    """A message whose turn has come but whose run has not begun says that it was dropped."""
    world = simulate()
    busy(world, "hello")
    world.gateway.faults["POST runs"] = [503] * 20
    world.run(70)
    assert world.said()[0] == "slept 60"
    world.hear("/stop")
    world.run()
    assert QUEUED not in world.said()
    assert DROPPED in world.said()


def test_a_message_whose_binding_went_away_is_dropped_visibly(simulate: Make) -> None:
    """Paused meanwhile: nothing runs, and the post does not promise it."""
    world = simulate()
    busy(world, "hello")
    world.settings = _paused(world.settings)
    world.run()
    assert world.said() == ["slept 60", DROPPED]
    assert "paused" in world.steps()


def _paused(settings: Settings) -> Settings:
    (binding,) = settings.bindings
    return replace(settings, bindings=(replace(binding, paused=True),))


def test_a_post_that_is_gone_meanwhile_is_no_trouble(simulate: Make) -> None:
    """Somebody removed the post: what there is to say comes in one of its own."""
    world = simulate()
    busy(world, "/goal")
    if isinstance(world, SlackOfDeerFlow):
        (channel,) = [one for one in world.slack.channels.channels.values() if one.posts]
        del channel.posts[list(channel.posts)[-1]]
    else:
        world.feishu.shown("oc_ada")[-1].recalled = True
    world.run()
    assert world.said()[-1] == "No goal is set here."
