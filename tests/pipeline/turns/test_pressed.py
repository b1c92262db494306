"""Buttons under a question: the asked person's press answers it, any other starts nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.agent import Script
from tests.simulation.deerflow import GatewaySimulation
from tests.simulation.deerflow_chats import SlackOfDeerFlow
from tests.simulation.slack import ADA_IM, GENERAL, SlackSimulation, slack_settings
from tests.stubs.slack import ADA
from tests.stubs.slack_channels import BOT, Shown
from threadline.core.settings import Busy
from threadline.core.texts import say

MENTION = f"<@{BOT}>"
BOB = "U0BOB0001"
LATE, NOT_YOURS = say("press_late", "en"), say("press_not_yours", "en")
PICK = Script(question="Which colour?", options=("red", "blue"))

type Make = Callable[..., SlackSimulation]


@pytest.fixture(params=[SlackSimulation, SlackOfDeerFlow], ids=["langgraph", "deerflow"])
def simulate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Give a maker of workspaces, with either kind of agent; `choose` asks for a colour."""
    made: list[SlackSimulation] = []

    def make(**how: Any) -> SlackSimulation:
        made.append(request.param(tmp_path / str(len(made)), **how))
        if not isinstance(made[-1], GatewaySimulation):
            made[-1].agent.scripts["choose"] = made[-1].agent.scripts[f"{ADA}: choose"] = PICK
        return made[-1]

    yield make
    for one in made:
        one.close()


def asked_in(world: SlackSimulation, channel: str = GENERAL) -> Shown:
    """Let Ada be asked for a colour, and give the post with the buttons."""
    world.hear("choose" if channel == ADA_IM else f"{MENTION} choose", channel=channel)
    world.run(60.0)
    post = [one for one in world.slack.shown(channel) if one.by_bot][-1]
    assert post.buttons == ["red", "blue"]
    return post


def whispers(world: SlackSimulation) -> list[tuple[str, str]]:
    """Give who was told something alone, and what."""
    return [(who, text) for who, _, text in world.slack.channels.channels[GENERAL].whispers]


@pytest.mark.parametrize("channel", [GENERAL, ADA_IM])
def test_a_press_answers(simulate: Make, channel: str) -> None:
    """The option goes to the agent as the asked person's answer, and the answer to the chat."""
    world = simulate()
    post = asked_in(world, channel)
    world.press(post, "blue", channel=channel)
    world.run()
    assert world.said(channel)[-1] == "echo: blue"
    assert world.asked()[1:] == ["blue"]
    assert whispers(world) == []
    marks = world.agent.runs()[-1].human.get("additional_kwargs", {})
    picked = marks.get("human_input_response", {}).get("option_id")
    assert picked == ("option-2" if isinstance(world, GatewaySimulation) else None)


def test_a_press_after_the_question_expired_starts_nothing(simulate: Make) -> None:
    """Half an hour later the presser alone is told that it is over; no run, and a reason."""
    world = simulate()
    post = asked_in(world)
    world.run(2000.0)
    assert world.said(GENERAL)[-1] == say("question_expired", "en")
    world.press(post, "blue")
    world.run()
    assert len(world.asked()) == 1
    assert whispers(world) == [(ADA, LATE)]
    assert world.slack.channels.channels[GENERAL].whispers[0][1] == post.thread
    assert "press_late" in world.steps()


def test_a_press_after_the_answer_starts_nothing(simulate: Make) -> None:
    """The second button pressed, while the answer is worked on and after it: told, each time."""
    world = simulate()
    post = asked_in(world)
    world.press(post, "blue")
    world.press(post, "red")
    world.run()
    world.press(post, "red")
    world.run()
    assert len(world.asked()) == 2
    assert whispers(world) == [(ADA, LATE), (ADA, LATE)]


def test_a_late_press_in_private_is_answered_there(simulate: Make) -> None:
    """In a direct message it is said like anything else: nobody else reads it."""
    world = simulate()
    post = asked_in(world, ADA_IM)
    world.hear("/stop")
    world.run()
    world.press(post, "blue", channel=ADA_IM)
    world.run()
    assert len(world.asked()) == 1
    assert world.said()[-1] == LATE


def test_somebody_elses_press_answers_nothing(simulate: Make) -> None:
    """Who was not asked is told so alone; the question goes on waiting for who was."""
    world = simulate()
    post = asked_in(world)
    world.hear("me too", channel=GENERAL, user=BOB)
    world.press(post, "blue", user=BOB)
    world.run(60.0)
    assert len(world.asked()) == 1
    assert whispers(world) == [(BOB, NOT_YOURS)]
    world.press(post, "red")
    world.run()
    assert len(world.asked()) == 2


def test_a_button_of_an_earlier_question_is_none_of_a_later_ones(simulate: Make) -> None:
    """Options may be alike: what counts is the post the button stands under."""
    world = simulate()
    first = asked_in(world, ADA_IM)
    world.press(first, "red", channel=ADA_IM)
    world.run()
    second = asked_in(world, ADA_IM)
    world.press(first, "blue", channel=ADA_IM)
    world.run(60.0)
    assert len(world.asked()) == 3
    assert world.said()[-1] == LATE
    world.press(second, "blue", channel=ADA_IM)
    world.run()
    assert len(world.asked()) == 4


@pytest.mark.parametrize("busy", list(Busy))
def test_a_press_that_overtakes_the_end_of_its_run_counts(simulate: Make, busy: Busy) -> None:
    """Pressed before we have noted that the run is over, it waits for that and then answers."""
    world = simulate(settings=slack_settings({"busy": busy}))
    world.hear(f"{MENTION} choose", channel=GENERAL)
    posted: list[Shown] = []

    def shown() -> bool:
        posted[:] = [one for one in world.slack.shown(GENERAL) if one.buttons]
        return bool(posted)

    world.run(60.0, until=shown)
    assert "asked" not in world.steps()
    world.press(posted[0], "blue")
    world.run()
    assert len(world.asked()) == 2
    assert whispers(world) == []


def test_a_redelivered_press_is_told_once(simulate: Make) -> None:
    """The same press again is a duplicate, silently."""
    world = simulate()
    post = asked_in(world)
    world.run(2000.0)
    for _ in range(2):
        world.slack.channels._last = 2_000_000_000_000_000
        world.press(post, "blue")
    world.run()
    assert whispers(world) == [(ADA, LATE)]


def test_a_button_is_no_command(simulate: Make) -> None:
    """What an agent writes on a button is never carried out as a command of the presser's."""
    world = simulate()
    asked_in(world)
    thread = world.slack.shown(GENERAL)[-1]
    thread.buttons = ["/new"]
    world.press(thread, "/new")
    world.run()
    assert "command" not in world.steps()
    assert len(world.asked()) == 2
    assert world.asked()[-1].endswith("/new")


def test_a_press_in_a_chat_we_know_nothing_of_is_late(simulate: Make) -> None:
    """After `/new`, or where everything was forgotten, an old button starts nothing."""
    world = simulate()
    post = asked_in(world)
    world.hear(f"{MENTION} /new", channel=GENERAL, thread=post.thread)
    world.run()
    world.press(post, "blue")
    stray = Shown(world.slack.channels.take_ts(), "?", BOT, buttons=["yes"])
    world.slack.channels.channels[GENERAL].posts[stray.ts] = stray
    world.press(stray, "yes")
    world.run()
    assert len(world.asked()) == 1
    assert whispers(world) == [(ADA, LATE)] * 2


def test_an_answer_in_words_is_the_answer_alone(simulate: Make) -> None:
    """In a channel the agent reads who wrote a message, but an answer as it was given."""
    world = simulate()
    post = asked_in(world)
    world.hear("Blue", channel=GENERAL, thread=post.thread)
    world.run()
    assert world.asked() == [f"{ADA}: choose", "Blue"]
    marks = world.agent.runs()[-1].human.get("additional_kwargs", {})
    picked = marks.get("human_input_response", {}).get("option_id")
    assert picked == ("option-2" if isinstance(world, GatewaySimulation) else None)
