"""Threads found by where they come from, and deleted, in both dialects."""

import json

import pytest

from tests.flows import Script
from threadline.agents.deerflow import DeerFlow
from threadline.agents.langgraph import LangGraph
from threadline.core.agent import AgentAccess, RunStatus
from threadline.core.errors import AgentBusy, AgentUnknown
from threadline.core.http import HttpResponse
from threadline.core.ids import OwnerId, RunId, ThreadId
from threadline.core.json import Json
from threadline.core.thread import DeletesThreads, RunSeen, Said, ShowsThreads, ThreadSeen

ACCESS = AgentAccess("http://agent.example", {"internal_token": "a-token"})
THREAD, OWNER = ThreadId("th"), OwnerId("o")
ORIGIN = {"provider": "telegram", "chat_id": "77", "app": "default", "topic_id": ""}
SOURCE = {"type": "im_channel", "provider": "telegram", "chat_id": "77", "app": "default"}
DIALECTS = [LangGraph(), DeerFlow()]


def ok(body: Json) -> HttpResponse:
    """A success with this JSON."""
    return HttpResponse(200, {}, json.dumps(body).encode())


def listed(id_: str, source: Json) -> Json:
    """A thread in a list."""
    return {"thread_id": id_, "metadata": {"channel_source": source}}


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
def test_only_threads_of_exactly_that_origin_are_found(agent: DeletesThreads) -> None:
    """A thread of another topic of the chat, or of nothing at all, is somebody else's."""
    found: Json = [
        listed("a", SOURCE), listed("b", {**SOURCE, "topic_id": "9"}), listed("", SOURCE),
        listed("c", {**SOURCE, "chat_id": "78"}), {"thread_id": "d"}, None, "e",
    ]  # fmt: skip
    assert Script([ok(found)]).run(agent.threads_of(ORIGIN, OWNER, ACCESS)) == ("a",)


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
def test_every_page_is_read(agent: DeletesThreads) -> None:
    """A full page is followed by the next one, from where it ended."""
    page: Json = [listed(str(number), SOURCE) for number in range(100)]
    script = Script([ok(page), ok([listed("last", SOURCE)])])
    found = script.run(agent.threads_of(ORIGIN, OWNER, ACCESS))
    assert (len(found), found[-1]) == (101, "last")
    bodies = [json.loads(bytes(one.body)) for one in script.requests]  # type: ignore[arg-type]
    assert [body["offset"] for body in bodies] == [0, 100]


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
@pytest.mark.parametrize(("status", "there"), [(200, True), (204, True), (404, False)])
def test_a_thread_that_is_gone_is_deleted(agent: DeletesThreads, status: int, there: bool) -> None:
    """Deleting says whether there was one; both are what was wanted."""
    script = Script([HttpResponse(status)])
    assert script.run(agent.delete(THREAD, OWNER, ACCESS)) is there
    assert script.requests[0].method == "DELETE"


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
def test_a_thread_in_work_is_not_deleted(agent: DeletesThreads) -> None:
    """A run that goes on keeps its thread, and that is told."""
    with pytest.raises(AgentBusy):
        Script([HttpResponse(409)]).run(agent.delete(THREAD, OWNER, ACCESS))


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
def test_runs_are_read_as_they_are_listed(agent: ShowsThreads) -> None:
    """A run without turn or time is shown all the same; one of unknown status is not guessed."""
    runs: Json = [
        {"run_id": "b", "status": "running", "created_at": "2026-11-29T23:09:06+00:00",
         "metadata": {"turn_id": "t"}},
        {"run_id": "a", "status": "success", "created_at": "soon"},
    ]  # fmt: skip
    assert Script([ok(runs)]).run(agent.runs(THREAD, OWNER, ACCESS)) == (
        RunSeen(RunId("b"), RunStatus.RUNNING, "t", 1795993746.0),
        RunSeen(RunId("a"), RunStatus.SUCCESS),
    )
    odd: Json = [{"run_id": "a", "status": "dreaming"}]
    with pytest.raises(AgentUnknown):
        Script([ok(odd)]).run(agent.runs(THREAD, OWNER, ACCESS))


@pytest.mark.parametrize("agent", DIALECTS, ids=lambda one: one.dialect)
def test_a_state_of_any_shape_is_shown(agent: ShowsThreads) -> None:
    """Messages, next nodes and the question are read; what is of another shape is left out."""
    state: Json = {
        "values": {"messages": [
            {"type": "human", "content": "hi"},
            {"type": "system", "content": "secret", "additional_kwargs": {"hide_from_ui": True}},
            {"type": "ai", "content": [{"type": "text", "text": "well"}],
             "tool_calls": [{"name": "search"}]},
            7,
        ]},
        "next": ["answer", 3, ""],
        "tasks": [{"interrupts": [{"value": {"question": "Which?"}}]}],
    }  # fmt: skip
    assert Script([ok(state)]).run(agent.seen(THREAD, OWNER, ACCESS)) == ThreadSeen(
        (
            Said("human", "hi"), Said("system", "secret", hidden=True),
            Said("ai", "well", ("search",)), Said("unknown", ""),
        ),
        ("answer",),
        "Which?",
    )  # fmt: skip
    assert Script([ok({})]).run(agent.seen(THREAD, OWNER, ACCESS)) == ThreadSeen(())
