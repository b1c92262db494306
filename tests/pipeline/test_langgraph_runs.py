"""Runs of the dialect `langgraph` on a real LangGraph Server."""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.agent_server import AgentServer, agent_server
from tests.pipeline.langgraph_talk import OWNER, Talk
from threadline.core.agent import InlineImage, Outcome, Prompt, RunStatus
from threadline.core.errors import AgentBusy, AgentRejected, AgentUnavailable, ThreadMissing
from threadline.core.ids import RunId, TurnId

pytestmark = pytest.mark.langgraph

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c636000010000"
    "0500010d0a2db40000000049454e44ae426082"
)


@pytest.fixture
def talk(demo_server: AgentServer, tmp_path: Path) -> Iterator[Talk]:
    """A conversation on a thread of its own."""
    talk = Talk.open(demo_server.url, tmp_path)
    yield talk
    talk.close()


def test_an_answer_is_read_from_its_run(talk: Talk) -> None:
    """A run that succeeded gives the text the agent wrote in it, and nothing else."""
    assert talk.say("long time no see") == Outcome(
        status=RunStatus.SUCCESS, text="You said: long time no see"
    )


def test_a_run_under_way_has_no_outcome_yet(talk: Talk) -> None:
    """Asking early gives the status alone."""
    turn, run = talk.start("sleep 3")
    assert talk.outcome(turn, run).status in {RunStatus.PENDING, RunStatus.RUNNING}
    assert talk.ended(turn, run).text == "Slept for 3 seconds."


def test_an_earlier_run_keeps_its_own_answer(talk: Talk) -> None:
    """A run whose thread has moved on still gives its own text, not that of a later run."""
    first = talk.start("one")
    talk.ended(*first)
    assert talk.say("two").text == "You said: two"
    assert talk.outcome(*first).text == "You said: one"


def test_a_failed_run_says_why_to_the_operator(talk: Talk) -> None:
    """An exception in the graph is status error with the exception's words, and no answer."""
    talk.say("earlier")
    outcome = talk.say("boom kettle")
    assert outcome.status is RunStatus.ERROR
    assert "ValueError" in outcome.error
    assert "kettle" in outcome.error
    assert outcome.text == ""


def test_a_failed_run_keeps_its_error_after_later_ones(talk: Talk) -> None:
    """The error is that of the run asked about."""
    failed = talk.start("boom kettle")
    talk.ended(*failed)
    talk.say("later")
    assert "kettle" in talk.outcome(*failed).error


def test_a_question_is_read_and_answered(talk: Talk) -> None:
    """An interrupted thread gives its question with options; the answer resumes the same graph."""
    asked = talk.start("ask Which size?")
    outcome = talk.ended(*asked)
    assert outcome == Outcome(
        status=RunStatus.SUCCESS, question="Which size?", options=("red", "green", "blue")
    )
    answered = talk.ended(*talk.start("blue", answers=True))
    assert answered == Outcome(status=RunStatus.SUCCESS, text="You chose: blue")
    assert talk.outcome(*asked).question == "Which size?"


def test_a_second_question_does_not_repeat_the_first_answer(talk: Talk) -> None:
    """Each answered run gives only what it added itself."""
    talk.say("ask")
    assert talk.ended(*talk.start("red", answers=True)).text == "You chose: red"
    assert talk.say("ask").text == ""
    assert talk.ended(*talk.start("green", answers=True)).text == "You chose: green"


def test_an_answer_nobody_waits_for_adds_nothing(talk: Talk) -> None:
    """Resuming a thread that asks nothing gives an empty outcome, not the last answer again."""
    talk.say("hello")
    assert talk.ended(*talk.start("blue", answers=True)).text == ""


def test_a_busy_thread_refuses_a_second_run(talk: Talk) -> None:
    """While a run is active another is refused, and ours and foreign are told apart."""
    turn, run = talk.start("sleep 5")
    with pytest.raises(AgentBusy):
        talk.start("me too")
    ours = talk.run(talk.agent.find(talk.thread, turn, OWNER, talk.access))
    assert [found for found, _ in ours.ours] == [run]
    assert ours.foreign_active is None
    others = talk.run(talk.agent.find(talk.thread, TurnId("other"), OWNER, talk.access))
    assert others.ours == ()
    assert others.foreign_active == run


def test_a_run_is_found_again_by_its_turn(talk: Talk) -> None:
    """A run whose create answer was lost is in the list under its turn id, newest first."""
    turn, first = talk.start("one", turn="turn-twice")
    talk.ended(turn, first)
    _, second = talk.start("two", turn="turn-twice")
    talk.ended(turn, second)
    found = talk.run(talk.agent.find(talk.thread, turn, OWNER, talk.access))
    assert found.ours == ((second, RunStatus.SUCCESS), (first, RunStatus.SUCCESS))


def test_a_cancelled_run_frees_its_thread(talk: Talk) -> None:
    """Cancelling stops the run at once; cancelling it again, or an unknown one, is success."""
    turn, run = talk.start("sleep 60")
    talk.wait_until(lambda: talk.status(run) is RunStatus.RUNNING)
    talk.run(talk.agent.cancel(talk.thread, run, OWNER, talk.access))
    assert talk.ended(turn, run) == Outcome(status=RunStatus.INTERRUPTED)
    talk.run(talk.agent.cancel(talk.thread, run, OWNER, talk.access))
    talk.run(talk.agent.cancel(talk.thread, RunId(talk.thread), OWNER, talk.access))
    assert talk.say("next").text == "You said: next"


def test_an_unknown_assistant_is_rejected(talk: Talk) -> None:
    """A graph the server does not have is a fault of the configuration, by name or by id."""
    with pytest.raises(AgentRejected, match="422"):
        talk.start("hello", assistant="no-such-graph")
    with pytest.raises(AgentRejected, match="404"):
        talk.start("hello", assistant=talk.thread)


def test_parameters_of_both_kinds_are_taken(talk: Talk) -> None:
    """A configured `configurable` and a context in one request do not make the server refuse it."""
    talk.config = {"recursion_limit": 9, "configurable": {"model": "small"}}
    talk.context = {"user_id": "alice"}
    assert talk.say("hello").text == "You said: hello"


def test_images_arrive_as_images(talk: Talk) -> None:
    """Two images beside the text are two image blocks to the graph."""
    images = (InlineImage("image/png", PIXEL), InlineImage("image/png", PIXEL))
    outcome = talk.ended(*talk.start(Prompt("image?", images)))
    assert outcome.text == "You sent 2 images."


def test_the_only_assistant_is_found(talk: Talk) -> None:
    """The demo agent offers one graph, so that it can be taken without being named."""
    assert talk.run(talk.agent.assistants(talk.access)) == ("demo",)


def test_an_unknown_run_is_missing(talk: Talk) -> None:
    """A run or thread the server does not know is missing rather than an error."""
    unknown = RunId(talk.thread)
    assert talk.status(unknown) is RunStatus.MISSING
    talk.say("hello")
    assert talk.outcome(TurnId("any"), unknown) == Outcome(status=RunStatus.MISSING)


def test_threads_are_found_by_their_origin_and_deleted(talk: Talk, tmp_path: Path) -> None:
    """The server finds a chat's threads by what they were created with; deleted ones are gone."""
    other = Talk.open(talk.url, tmp_path / "other")
    chat = str(uuid.uuid4())
    talk.origin, other.origin = {"chat_id": chat}, {"chat_id": chat, "topic_id": "9"}
    talk.say("hello")
    other.say("hello")
    agent, access = talk.agent, talk.access
    assert talk.run(agent.threads_of(talk.origin, OWNER, access)) == (talk.thread,)
    assert talk.run(agent.delete(talk.thread, OWNER, access)) is True
    assert talk.run(agent.delete(talk.thread, OWNER, access)) is False
    with pytest.raises(ThreadMissing):
        talk.run(agent.seen(talk.thread, OWNER, access))
    assert len(talk.run(agent.seen(other.thread, OWNER, access)).messages) == 2
    other.close()


def test_a_killed_server_forgets_threads(tmp_path: Path) -> None:
    """Down is unavailable; back without its memory, a known thread is missing and can be remade."""
    with agent_server(tmp_path / "server") as server:
        talk = Talk.open(server.url, tmp_path / "blobs")
        turn, run = talk.start("sleep 60")
        server.kill()
        with pytest.raises(AgentUnavailable):
            talk.status(run)
        server.restart()
        assert talk.outcome(turn, run).status is RunStatus.MISSING
        with pytest.raises(ThreadMissing):
            talk.start("are you there?")
        with pytest.raises(ThreadMissing):
            talk.run(talk.agent.find(talk.thread, turn, OWNER, talk.access))
        talk.known = False
        assert talk.say("again").text == "You said: again"
        talk.close()
