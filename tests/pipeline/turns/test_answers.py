"""Every end of a run, as the person in the chat sees it."""

from collections.abc import Callable

import pytest

from tests.simulation.world import Simulation, settings_with
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def test_one_message_one_run_one_answer(simulate: Make) -> None:
    """A message leads to one run, and its placeholder becomes the answer."""
    world = simulate()
    world.write("hello")
    world.run()
    assert world.shown() == ["echo: hello"]
    assert len(world.agent.runs()) == 1
    assert [call.method for call in world.telegram.calls_of("sendMessage")] == ["sendMessage"]


def test_the_answer_grows(simulate: Make) -> None:
    """The post shows growing text before it shows the answer, never faster than the chat allows."""
    world = simulate()
    world.write("sleep 12")
    world.run()
    texts = [call.parameters["text"] for call in world.telegram.calls_of("editMessageText")]
    assert len(texts) >= 3
    assert all(text.endswith(" …") for text in texts[:-1])
    assert texts[-1] == "slept 12"
    assert {call.status for call in world.telegram.calls} == {200}


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("boom", say("run_failed", "en")),
        ("half", f"half an answer\n\n{say('run_partial', 'en')}"),
        ("silent", say("run_silent", "en")),
        ("ask", "Which colour?"),
    ],
)
def test_no_end_of_a_run_is_silent(simulate: Make, text: str, seen: str) -> None:
    """A failed, broken, silent or asking run says so where it was asked."""
    world = simulate()
    world.write(text)
    world.run(600)
    assert world.shown() == [seen]


def test_a_long_answer_comes_in_parts(simulate: Make) -> None:
    """An answer over the limit is split: the first part replaces the placeholder, in order."""
    world = simulate()
    world.write("long 12")
    world.run()
    shown = world.shown()
    assert len(shown) > 2
    assert [number for number in range(12) if f"Paragraph {number}." in "".join(shown)] == list(
        range(12)
    )
    assert "".join(shown).index("Paragraph 3.") < "".join(shown).index("Paragraph 11.")


def test_a_question_is_answered_by_the_next_message(simulate: Make) -> None:
    """The asker's next message resumes the waiting thread instead of starting another turn."""
    world = simulate()
    world.write("ask")
    world.run(10)
    world.write("blue")
    world.run()
    assert world.shown() == ["Which colour?", "echo: blue"]
    first, second = world.agent.runs()
    assert first.thread == second.thread
    assert second.answers


def test_an_unanswered_question_expires(simulate: Make) -> None:
    """A question nobody answers ends after half an hour, said in the chat; the next is new."""
    world = simulate()
    world.write("ask")
    world.run()
    assert world.shown() == ["Which colour?", say("question_expired", "en")]
    world.write("hello")
    world.run()
    assert not world.agent.runs()[-1].answers


def test_a_run_over_its_limit_is_cancelled_and_said(simulate: Make) -> None:
    """A run that uses up its time is stopped, the person told, and the backlog goes on."""
    world = simulate(settings=settings_with(time_limit=30.0))
    world.write("sleep 600")
    world.write("hello")
    world.run()
    assert world.shown()[0].endswith(say("time_limit", "en"))
    assert world.shown()[1] == "echo: hello"
    assert world.agent.runs("sleep")[0].cancelled_at is not None


def test_a_vanished_run_is_said(simulate: Make) -> None:
    """A run the agent forgot ends with a plain word, not with silence."""
    world = simulate()
    world.write("sleep 60")
    world.run(5)
    for thread in world.agent.threads.values():
        thread.runs.clear()
    world.run()
    assert (
        say("run_vanished", "en") in world.shown()[0]
        or say("run_partial", "en") in (world.shown()[0])
    )
