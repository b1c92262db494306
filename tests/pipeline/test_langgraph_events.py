"""Event streaming from a real LangGraph Server: what it tells in a way of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.langgraph_talk import OWNER, Talk
from threadline.core.agent import Progress, TextDelta
from threadline.core.visible import VisibleText

pytestmark = pytest.mark.langgraph

SOURCE = Path(__file__).parent / "blocks_agent"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    """A server with an agent that thinks, calls tools and has an agent inside."""
    with agent_server(tmp_path_factory.mktemp("blocks") / "agent", source=SOURCE) as server:
        yield server


@pytest.fixture
def talk(server: AgentServer, tmp_path: Path) -> Iterator[Talk]:
    """A conversation whose runs tell events, with a context as every run of ours has."""
    talk = Talk.open(server.url, tmp_path)
    talk.event_streaming, talk.context = True, {"user_id": "alice", "channel_name": "slack"}
    yield talk
    talk.close()


def test_text_and_tools_are_shown_and_nothing_else(talk: Talk) -> None:
    """Thoughts, arguments and agents inside stay unsaid; the context is the agent's as before."""
    turn, run = talk.start("go", assistant="blocks")
    events = talk.follow(run)
    assert talk.ended(turn, run).text == "I know alice well"
    assert VisibleText().after(events).text == "I know alice well"
    told = [event.text if isinstance(event, TextDelta) else event for event in events]
    assert told == ["Let me see", Progress("look"), "I know alice", " well"]


def test_a_stream_goes_on_in_the_middle_of_a_message(talk: Talk) -> None:
    """Who takes over after any event knows which message it was in."""
    turn, run = talk.start("go", assistant="blocks")
    told = talk.follow_with_cursors(run)
    text = talk.ended(turn, run).text
    for number, (_, cursor) in enumerate(told, 1):
        rest = talk.follow(run, cursor=cursor)
        assert rest == [event for event, _ in told[number:]]
        assert VisibleText().after([*(event for event, _ in told[:number]), *rest]).text == text


def test_two_models_at_once_are_not_shown_and_the_next_is(talk: Talk) -> None:
    """What cannot be told apart is not shown as one; who speaks alone after that is."""
    turn, run = talk.start("both", assistant="blocks")
    told = talk.follow_with_cursors(run)
    shown = "".join(event.text for event, _ in told if isinstance(event, TextDelta))
    assert not ("left" in shown and "right" in shown)
    assert shown.endswith("both spoke")
    assert VisibleText().after(event for event, _ in told).text == talk.ended(turn, run).text


def test_a_model_that_fails_in_the_middle_leaves_its_words_until_the_end(talk: Talk) -> None:
    """No event says that it failed: the next attempt is not mixed with what stands there."""
    turn, run = talk.start("again", assistant="blocks")
    assert VisibleText().after(talk.follow(run)).text == "not "
    assert talk.ended(turn, run).text == "well said"


def test_content_kept_as_blocks_is_read_wherever_it_stands(talk: Talk) -> None:
    """A question, an answer and a thread's messages say what is text, and no thought."""
    turn, run = talk.start("ask", assistant="blocks")
    assert talk.ended(turn, run).question == "Which?"
    turn, run = talk.start("red", assistant="blocks", answers=True)
    assert talk.ended(turn, run).text == "You chose red"
    turn, run = talk.start("go", assistant="blocks")
    assert talk.ended(turn, run).text == "I know alice well"
    seen = talk.run(talk.agent.seen(talk.thread, OWNER, talk.access))
    kept = [(one.kind, one.text, one.tools) for one in seen.messages]
    assert ("ai", "Let me see", ("look",)) in kept
    assert kept[-1] == ("ai", "I know alice well", ())
