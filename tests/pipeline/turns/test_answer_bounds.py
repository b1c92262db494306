"""Answers without measure or without anything to see: said, shortened or stood in for."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulation.agent import Script
from tests.simulation.deerflow import GatewaySimulation
from tests.simulation.network import TELEGRAM
from tests.simulation.world import CHAT, Simulation
from tests.stubs import deerflow_rules
from tests.stubs.telegram import Fault
from threadline.app.closing import MOST_PARTS
from threadline.core.texts import say

type Make = Callable[..., Simulation]

CHINESE = ("字" * 990 + "\n\n") * 150
BLANK = (
    " \n ", "\n\n", "\u200b", "\u00ad", "\ufeff", "<!-- done -->", "[//]: # (x)",
    "[a]: http://b.test", "```\n```", "&nbsp;", "![](http://a.test/x.png)", "---", "#", "> ", "- ",
    "<br>", "** **",
)  # fmt: skip


def english(size: int) -> str:
    """Give paragraphs of about this many characters in all."""
    return ("word " * 200 + "\n\n") * (size // 1002)


def answer(world: Simulation, script: Script) -> None:
    """Let the agent answer one message with this script, and the one after it as usual."""
    world.agent.scripts["first"] = script
    world.write("first")
    world.run(900)
    world.write("next")
    world.run(900)
    assert world.shown()[-1] == "echo: next"
    assert world.quiet()


@pytest.mark.parametrize(
    "script",
    [
        Script(english(200_000)),
        Script(english(420_000)),
        Script(english(600_000)),
        Script(CHINESE, 120.0),
    ],
    ids=["200 KB", "420 KB", "600 KB", "Chinese"],
)
def test_a_very_long_answer_is_shortened_and_ends_its_turn(simulate: Make, script: Script) -> None:
    """However long an answer is, so many parts of it are posted, and what is left out is said."""
    world = simulate()
    answer(world, script)
    assert len(world.shown()) <= MOST_PARTS + 1
    if len(world.shown()) == MOST_PARTS + 1:
        assert world.shown()[-2] == say("too_long", "en")


@pytest.mark.parametrize("text", BLANK)
def test_an_answer_with_nothing_to_see_ends_its_turn(simulate: Make, text: str) -> None:
    """An answer that renders to nothing, or nearly, leaves a word in the chat all the same."""
    world = simulate()
    answer(world, Script(text))
    assert len(world.shown()) == 2
    assert all(one.strip() for one in world.shown())


def test_a_question_with_thousands_of_options_is_asked(simulate: Make) -> None:
    """A question beyond measure is asked, answered, and the conversation goes on."""
    world = simulate()
    options = tuple(f"option {number} " + "x" * 100 for number in range(4000))
    world.agent.scripts["first"] = Script(question="Which?", options=options)
    world.write("first")
    world.run(900)
    assert world.shown()[0].startswith("Which?")
    world.write("/new")
    world.write("next")
    world.run(900)
    assert world.shown()[-1] == "echo: next"
    assert world.quiet()


def test_a_very_long_answer_to_a_command_is_shortened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the agent answers to a command is said as far as it goes; it poisons no mailbox."""
    monkeypatch.setattr(deerflow_rules, "MODELS", [f"model-{number}" for number in range(40_000)])
    world = GatewaySimulation(tmp_path / "state")
    world.write("/models")
    world.run(300)
    assert "model-0" in world.shown()[0].lower()
    assert world.quiet()
    world.close()


def test_a_late_edit_does_not_stand_over_the_answer(simulate: Make) -> None:
    """An edit that was given up here and lands at the platform later is written over again."""
    world = simulate()
    world.write("sleep 6")
    world.run(until=lambda: len(world.shown()) == 1)
    world.slow[TELEGRAM] = 60.0
    world.run(2)
    world.slow.clear()
    world.run(until=lambda: world.shown() == ["slept 6"])
    world.run(2)
    number = world.telegram.shown(CHAT)[-1].id
    late = {"chat_id": CHAT, "message_id": number, "text": "s …"}
    assert world.telegram.answer(world.telegram.token, "editMessageText", late).status == 200
    assert world.shown() == ["s …"]
    world.run(120)
    assert world.shown() == ["slept 6"]


def test_an_answer_whose_first_sign_was_deleted_is_still_said(simulate: Make) -> None:
    """A person who deletes the first sign of life still gets the answer."""
    world = simulate()
    world.write("sleep 8")
    world.run(until=lambda: len(world.shown()) == 1)
    messages = world.telegram.chat(CHAT).messages
    for number in [number for number, one in messages.items() if one.by_bot]:
        del messages[number]
    world.run()
    assert world.shown() == ["slept 8"]


def test_a_question_is_answered_only_after_it_was_seen(simulate: Make) -> None:
    """What a person wrote before the question stood in the chat never answers it."""
    world = simulate()
    world.write("ask")
    world.run(until=lambda: len(world.shown()) == 1)
    world.telegram.fault("editMessageText", Fault.too_many(60))
    world.run(15)
    assert not any("Which colour?" in one for one in world.shown())
    world.write("delete everything please")
    world.run(300)
    assert any("Which colour?" in one for one in world.shown())
    assert not any(run.answers for run in world.agent.runs())
