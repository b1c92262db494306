"""The runs of a thread: found again by the turn they were made for, looked at, stopped."""

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import ACCESS, AGENT, OWNER, RUN, THREAD, TURN, ok, refused
from threadline.core.agent import Found, RunStatus
from threadline.core.errors import AgentRejected, AgentUnavailable, AgentUnknown
from threadline.core.http import HttpResponse
from threadline.core.ids import RunId
from threadline.core.json import Json


def listed(id_: str, status: str, turn: Json = None) -> Json:
    """A run in a list; the person's text is in it too."""
    asked = {"input": {"messages": [{"type": "human", "content": "private"}]}}
    return {"run_id": id_, "status": status, "metadata": {"turn_id": turn}, "kwargs": asked}


def find(answer: HttpResponse) -> Found:
    """Find the runs of our turn."""
    return Script([answer]).run(AGENT.find(THREAD, TURN, OWNER, ACCESS))


def test_our_runs_are_told_from_others() -> None:
    """Ours are those of the turn; foreign counts only while it is active."""
    runs = [listed("c", "running"), listed("b", "success", TURN), listed("a", "error")]
    assert find(ok(runs)) == Found(((RunId("b"), RunStatus.SUCCESS),), RunId("c"))
    assert find(ok([listed("a", "success")])) == Found((), None)


def test_an_unknown_thread_has_no_runs() -> None:
    """The Gateway answers an unknown thread with an empty list."""
    assert find(ok([])) == Found((), None)


@pytest.mark.parametrize("answer", [ok({"runs": []}), ok(None), ok([{"status": "running"}])])
def test_an_unreadable_list_finds_nothing_out(answer: HttpResponse) -> None:
    """A list that makes no sense is not taken for an empty one."""
    with pytest.raises(AgentUnknown):
        find(answer)


@pytest.mark.parametrize("word", [str(status) for status in RunStatus if status != "missing"])
def test_a_run_stands_where_it_says(word: str) -> None:
    """Each word of the Gateway's is one of ours."""
    answer = ok({"run_id": RUN, "status": word, "stop_reason": None})
    assert Script([answer]).run(AGENT.status(THREAD, RUN, OWNER, ACCESS)) == RunStatus(word)


def test_a_run_that_is_not_there_is_missing() -> None:
    """Unknown runs, and those under another thread or owner, read alike."""
    answer = refused(404, "Run nope not found")
    assert Script([answer]).run(AGENT.status(THREAD, RUN, OWNER, ACCESS)) is RunStatus.MISSING


@pytest.mark.parametrize("answer", [HttpResponse(202), HttpResponse(204), refused(404, "Run x")])
def test_a_run_is_stopped_by_one_call(answer: HttpResponse) -> None:
    """202 and 204 stop it, and one that is gone needs no stopping."""
    script = Script([answer])
    script.run(AGENT.cancel(THREAD, RUN, OWNER, ACCESS))
    (call,) = script.requests
    assert call.url.endswith(f"/runs/{RUN}/cancel?action=interrupt")


def test_stopping_what_ended_is_success() -> None:
    """409 of a run that is over is what was wanted."""
    answers = [
        refused(409, f"Run {RUN} is not cancellable (status: success)"),
        ok({"run_id": RUN, "status": "success"}),
    ]
    Script(answers).run(AGENT.cancel(THREAD, RUN, OWNER, ACCESS))


def test_a_run_of_another_worker_is_not_stopped_yet() -> None:
    """409 of a run that goes on is no success: it is tried again later."""
    answers = [
        refused(409, f"Run {RUN} is active on another worker; retry after lease expiry."),
        ok({"run_id": RUN, "status": "running"}),
    ]
    with pytest.raises(AgentUnavailable, match="another worker"):
        Script(answers).run(AGENT.cancel(THREAD, RUN, OWNER, ACCESS))


def test_a_token_without_the_right_is_told() -> None:
    """A personal token may lack the scope to cancel."""
    with pytest.raises(AgentRejected, match="runs:cancel"):
        Script([refused(403, "Permission denied: runs:cancel")]).run(
            AGENT.cancel(THREAD, RUN, OWNER, ACCESS)
        )
