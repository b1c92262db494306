"""Streams of the dialect `langgraph` from a real LangGraph Server, told in either way."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer
from tests.pipeline.langgraph_talk import Talk
from threadline.core.agent import AgentEvent, RunStatus, StreamFailed, TextDelta
from threadline.core.ids import RunId
from threadline.core.visible import VisibleText

pytestmark = pytest.mark.langgraph


@pytest.fixture(params=[False, True], ids=["tokens", "events"])
def talk(
    demo_server: AgentServer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Talk]:
    """A conversation on a thread of its own, whose runs tell tokens or events."""
    talk = Talk.open(demo_server.url, tmp_path)
    talk.event_streaming = request.param
    yield talk
    talk.close()


def test_an_answer_grows_in_its_stream(talk: Talk) -> None:
    """Following a run shows its text in several steps that end as the outcome has it."""
    turn, run = talk.start("tell me something longer than a word")
    events = talk.follow(run)
    assert len(deltas(events)) > 3
    assert shown(events) == talk.ended(turn, run).text


def test_a_stream_goes_on_after_its_cursor(talk: Talk) -> None:
    """Leaving in the middle and coming back after the cursor loses nothing and repeats nothing."""
    turn, run = talk.start("one two three four five six seven eight")
    before = talk.follow_with_cursors(run, most=4)
    after = talk.follow(run, cursor=before[-1][1])
    assert shown([*(event for event, _ in before), *after]) == talk.ended(turn, run).text
    assert len(deltas(after)) > 1


def test_leaving_a_stream_leaves_the_run_alone(talk: Talk) -> None:
    """A follower that goes away does not cancel what it followed."""
    turn, run = talk.start("sleep 2")
    assert len(talk.follow(run, most=1)) == 1
    assert talk.ended(turn, run).status is RunStatus.SUCCESS


def test_a_stream_can_be_read_after_the_end(talk: Talk) -> None:
    """A follower that comes late still sees the whole text."""
    turn, run = talk.start("too late?")
    outcome = talk.ended(turn, run)
    assert shown(talk.follow(run)) == outcome.text


def test_a_long_answer_keeps_its_line_ends(talk: Talk) -> None:
    """Paragraphs and code come through the stream as they stand in the state."""
    turn, run = talk.start("long 3")
    events = talk.follow(run)
    text = talk.ended(turn, run).text
    assert "```python\nfor number in range(3):\n    print(" in text
    assert shown(events) == text


def test_a_failing_run_says_so_in_its_stream(talk: Talk) -> None:
    """An exception in the graph is an event, which does not pass for text.

    The filter that spares us whole states spares us errors too: the outcome has them.
    """
    turn, run = talk.start("boom kettle")
    said = [] if talk.event_streaming else [StreamFailed("ValueError: kettle")]
    assert talk.follow(run) == said
    outcome = talk.ended(turn, run)
    assert (outcome.status, outcome.error) == (RunStatus.ERROR, "ValueError('kettle')")


def test_a_question_is_not_in_the_stream(talk: Talk) -> None:
    """A run that asks shows nothing; its question is read from the thread."""
    _, run = talk.start("ask")
    assert talk.follow(run) == []


def test_a_run_that_goes_on_after_a_question_is_followed(talk: Talk) -> None:
    """What answers a question is a run like any other."""
    talk.say("ask")
    turn, run = talk.start("green", answers=True)
    assert shown(talk.follow(run)) == talk.ended(turn, run).text == "You chose: green"


def test_a_run_is_followed_whatever_was_configured_meanwhile(talk: Talk) -> None:
    """A run that tells events is read by who asks for tokens, and the other way round."""
    turn, run = talk.start("one two three")
    talk.event_streaming = not talk.event_streaming
    assert shown(talk.follow(run)) == talk.ended(turn, run).text


def test_the_stream_of_an_unknown_run_fails(talk: Talk) -> None:
    """Following a run the server does not know tells so instead of waiting."""
    talk.say("hello")
    events = talk.follow(RunId(talk.thread))
    assert events == [StreamFailed("HTTPException: 404: Run not found")]


def deltas(events: Iterable[AgentEvent]) -> list[TextDelta]:
    """The events that change the text."""
    return [event for event in events if isinstance(event, TextDelta)]


def shown(events: Iterable[AgentEvent]) -> str:
    """The text after all events."""
    return VisibleText().after(events).text
