"""How a run ended, on answers that a test server gives only with difficulty."""

import json

import pytest

from tests.flows import Script
from threadline.agents.langgraph import LangGraph
from threadline.core.agent import AgentAccess, Outcome, RunStatus
from threadline.core.errors import AgentError, AgentUnavailable, AgentUnknown
from threadline.core.http import HttpResponse, Lost
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import Json

ACCESS = AgentAccess("http://agent.example")
NO_SUCH = HttpResponse(404, {}, b'{"detail":"Not Found"}')


def ok(body: Json) -> HttpResponse:
    """A success with this JSON."""
    return HttpResponse(200, {}, json.dumps(body).encode())


def run(status: str, id_: str = "r") -> dict[str, Json]:
    """A run as lists and reads give it."""
    return {"run_id": id_, "status": status, "metadata": {}}


def state(*messages: Json, **more: Json) -> dict[str, Json]:
    """A thread's state."""
    return {"values": {"messages": messages}, "next": [], "tasks": [], "interrupts": [], **more}


def human(id_: str) -> Json:
    """A person's message."""
    return {"type": "human", "id": id_, "content": "?"}


def ai(text: str, **marks: Json) -> Json:
    """An assistant's message."""
    return {"type": "ai", "id": f"ai-{text}", "content": text, "additional_kwargs": marks}


def outcome(*answers: HttpResponse | Lost) -> Outcome:
    """Read the outcome of turn `t`, run `r`; every answer must be asked for."""
    script = Script(answers)
    found = script.run(
        LangGraph().outcome(ThreadId("th"), RunId("r"), TurnId("t"), OwnerId("o"), ACCESS)
    )
    assert len(script.requests) == len(answers)
    return found


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_run_that_goes_on_costs_one_call(status: str) -> None:
    """Nothing but the status is read before the end."""
    assert outcome(ok(run(status))) == Outcome(status=RunStatus(status))


def test_a_model_that_failed_is_no_success() -> None:
    """A server may say success where it answered in the failed model's place."""
    left = state(human("t"), ai("Provider says 400", deerflow_error_fallback=True))
    assert outcome(ok(run("success")), ok([left])) == Outcome(
        status=RunStatus.ERROR, error="Provider says 400"
    )


def test_a_run_that_never_began_has_its_error_in_the_join() -> None:
    """Without a failed task the error is read where a waiting client would get it."""
    found = outcome(
        ok(run("error")),
        ok([]),
        ok(state()),
        HttpResponse(200, {}, b'\n\n{"__error__":{"error":"TypeError","message":"no input"}}'),
    )
    assert found == Outcome(status=RunStatus.ERROR, error="TypeError: no input")


def test_a_server_that_names_no_runs_in_its_states_still_answers() -> None:
    """The thread's state is read instead, up to the next person's message."""
    later = state(human("t"), ai("ours"), human("u"), ai("theirs"), interrupts=[{"value": "?"}])
    assert outcome(ok(run("success")), ok([]), ok(later)) == Outcome(
        status=RunStatus.SUCCESS, text="ours"
    )
    last = state(human("t"), ai("ours"), interrupts=[{"value": "Go on?"}])
    assert outcome(ok(run("success")), ok([]), ok(last)) == Outcome(
        status=RunStatus.SUCCESS, text="ours", question="Go on?"
    )


def test_a_waiting_run_is_no_cancelled_one() -> None:
    """A server that calls an interrupted graph's run interrupted means that it asks."""
    left = state(human("t"), tasks=[{"interrupts": [{"value": "Which?"}]}])
    assert outcome(ok(run("interrupted")), ok([left])) == Outcome(
        status=RunStatus.SUCCESS, question="Which?"
    )


def test_a_failed_run_asks_nothing() -> None:
    """An error is not hidden behind a question that a parallel step asked."""
    left = state(human("t"), tasks=[{"error": "ValueError('x')"}], interrupts=[{"value": "Which?"}])
    assert outcome(ok(run("error")), ok([left])) == Outcome(
        status=RunStatus.ERROR, error="ValueError('x')"
    )


def test_an_answered_run_leaves_out_what_stood_there_before() -> None:
    """Of a resumed run only what the run before it had not left yet is given."""
    before = state(human("first"), ai("I have to ask."))
    after = state(human("first"), ai("I have to ask."))
    runs = [run("success", "newer"), run("success"), run("success", "asked")]
    assert outcome(ok(run("success")), ok([after]), ok(runs), ok([before])).text == ""


def test_an_answered_run_far_down_the_list_is_still_read() -> None:
    """Where the run before cannot be found, what follows the last person's message is given."""
    after = state(human("first"), ai("Done."))
    page = ok([run("success", str(number)) for number in range(20)])
    assert outcome(ok(run("success")), ok([after]), *[page] * 5).text == "Done."


@pytest.mark.parametrize(
    "answers",
    [
        (NO_SUCH,),
        (ok(run("success")), NO_SUCH),
        (ok(run("success")), ok([]), NO_SUCH),
        (ok(run("error")), ok([state(human("t"))]), NO_SUCH),
    ],
)
def test_a_run_that_vanishes_at_any_step_is_missing(answers: tuple[HttpResponse, ...]) -> None:
    """A thread that is deleted while it is read is missing, not an error."""
    assert outcome(*answers) == Outcome(status=RunStatus.MISSING)


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ((Lost("reset", sent=True),), AgentUnknown),
        ((Lost("refused", sent=False),), AgentUnavailable),
        ((HttpResponse(200, {}, b"<html>"),), AgentUnknown),
        ((ok(run("paused")),), AgentUnknown),
        ((ok([]),), AgentUnknown),
        ((ok(run("success")), HttpResponse(502)), AgentUnknown),
    ],
)
def test_what_cannot_be_read_is_no_outcome(
    answers: tuple[HttpResponse | Lost, ...], error: type[AgentError]
) -> None:
    """A run is never declared ended on an answer that was lost or makes no sense."""
    with pytest.raises(AgentError) as caught:
        outcome(*answers)
    assert type(caught.value) is error
