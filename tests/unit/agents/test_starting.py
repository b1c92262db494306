"""Starting a run, and what each answer leaves us knowing."""

import json
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.flows import Script
from threadline.agents.langgraph import LangGraph
from threadline.agents.shapes import mapping
from threadline.core.agent import AgentAccess, Prompt, RunRequest
from threadline.core.errors import (
    AgentBusy,
    AgentError,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.http import HttpResponse, Lost
from threadline.core.ids import OwnerId, RunId, ThreadId, TurnId
from threadline.core.json import JsonObject

KNOWN = RunRequest(
    thread=ThreadId("0762017c-9c8e-4667-bda3-57f96752d282"),
    turn=TurnId("turn-1"),
    owner=OwnerId("alice"),
    prompt=Prompt("hello"),
    assistant="demo",
    new_thread=False,
    origin={"provider": "slack", "topic_id": ""},
    labels={"conversation": "slack/c"},
)
NEW = replace(KNOWN, new_thread=True)
ACCESS = AgentAccess("http://agent.example")
THREAD = HttpResponse(200, {}, b'{"thread_id": "t"}')
CREATED = HttpResponse(200, {}, b'{"run_id": "r", "status": "pending"}')


def start(request: RunRequest, *answers: HttpResponse | Lost) -> Script:
    """Start a run on these answers."""
    script = Script(answers)
    assert script.run(LangGraph().start(request, ACCESS)) == RunId("r")
    return script


def test_a_known_thread_costs_one_call() -> None:
    """On a known thread only the run is created."""
    assert [call.label for call in start(KNOWN, CREATED).requests] == ["create run"]


def test_a_new_thread_costs_two_calls() -> None:
    """A new thread is created first, with where it comes from."""
    thread, run = start(NEW, THREAD, CREATED).requests
    assert isinstance(thread.body, bytes)
    assert json.loads(thread.body)["metadata"] == {
        "channel_source": {"type": "im_channel", "provider": "slack"}
    }
    assert run.label == "create run"


def test_a_thread_that_is_there_already_is_fine() -> None:
    """An agent that answers 409 to a known thread has what we want."""
    start(NEW, HttpResponse(409, {}, b"{}"), CREATED)


def test_creating_a_run_is_never_repeated_by_itself() -> None:
    """The policy may send nothing twice whose effect is not known."""
    assert not any(call.repeatable for call in start(NEW, THREAD, CREATED).requests)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (HttpResponse(404), ThreadMissing),
        (HttpResponse(409), AgentBusy),
        (HttpResponse(422), AgentRejected),
        (HttpResponse(503), AgentUnavailable),
        (HttpResponse(500), AgentUnknown),
        (Lost("refused", sent=False), AgentUnavailable),
        (Lost("reset", sent=True), AgentUnknown),
        (Lost("too_large", sent=True), AgentUnknown),
        (HttpResponse(200, {}, b"<html>"), AgentUnknown),
        (HttpResponse(200, {}, b"{}"), AgentUnknown),
        (HttpResponse(200), AgentUnknown),
    ],
)
def test_each_answer_to_a_run_has_its_error(
    answer: HttpResponse | Lost, error: type[AgentError]
) -> None:
    """A create that may have worked is never reported as one that did not."""
    with pytest.raises(AgentError) as caught:
        start(KNOWN, answer)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Lost("reset", sent=True), AgentUnavailable),
        (HttpResponse(500), AgentUnavailable),
        (HttpResponse(200, {}, b"<html>"), AgentUnavailable),
        (HttpResponse(503), AgentUnavailable),
        (HttpResponse(404), AgentRejected),
        (HttpResponse(401), AgentRejected),
    ],
)
def test_a_thread_that_was_not_created_certainly_has_no_run(
    answer: HttpResponse | Lost, error: type[AgentError]
) -> None:
    """Whatever becomes of the thread, the run was not asked for yet."""
    with pytest.raises(AgentError) as caught:
        start(NEW, answer)
    assert type(caught.value) is error


def test_a_new_thread_that_is_missing_means_the_assistant() -> None:
    """The server says 404 for an unknown assistant too; remaking the thread would never end."""
    with pytest.raises(AgentRejected, match="404"):
        start(NEW, THREAD, HttpResponse(404))


def test_nothing_is_sent_that_is_not_configured() -> None:
    """Without configuration, context and webhook the body has no such fields."""
    call = start(KNOWN, CREATED).requests[0]
    assert isinstance(call.body, bytes)
    assert json.loads(call.body) == {
        "assistant_id": "demo",
        "input": {"messages": [{"type": "human", "id": "turn-1", "content": "hello"}]},
        "metadata": {"conversation": "slack/c", "turn_id": "turn-1"},
        "multitask_strategy": "reject",
        "on_disconnect": "continue",
        "stream_mode": ["messages-tuple", "custom"],
        "stream_resumable": True,
    }


def test_context_goes_into_a_configured_configurable() -> None:
    """The server refuses a request with both; what says who it is for wins."""
    both = replace(
        KNOWN,
        config={"recursion_limit": 9, "configurable": {"model": "m", "user_id": "forged"}},
        context={"user_id": "alice"},
    )
    call = start(both, CREATED).requests[0]
    assert isinstance(call.body, bytes)
    body = json.loads(call.body)
    assert body["config"] == {
        "recursion_limit": 9,
        "configurable": {"model": "m", "user_id": "alice"},
    }
    assert "context" not in body


def test_a_key_is_sent_and_never_shown() -> None:
    """Keys go out as headers and are in no representation of the request."""
    access = AgentAccess("http://agent.example", {"api_key": "lsv2-secret", "token": "jwt-secret"})
    script = Script([CREATED])
    script.run(LangGraph().start(KNOWN, access))
    (call,) = script.requests
    assert call.headers["x-api-key"] == "lsv2-secret"
    assert call.headers["authorization"] == "Bearer jwt-secret"
    assert "secret" not in repr(call) + repr(access)


@pytest.mark.parametrize(
    ("config", "context"),
    [
        ({}, {}),
        ({"recursion_limit": 7}, {"user_id": "alice"}),
        ({"configurable": {"user_id": "bob", "model": "m"}}, {"user_id": "alice"}),
    ],
    ids=["nothing", "context", "both"],
)
def test_a_run_that_is_to_tell_events_says_so(config: JsonObject, context: JsonObject) -> None:
    """The mark stands beside what the run is given, in the one of two places a server takes."""
    script = Script([CREATED])
    request = replace(KNOWN, config=config, context=context)
    script.run(LangGraph().start(request, replace(ACCESS, event_streaming=True)))
    assert isinstance(script.requests[0].body, bytes)
    body = json.loads(script.requests[0].body)
    given = {**mapping(config.get("configurable")), **context, "__event_streaming_v2": True}
    assert body["config"] == {**config, "configurable": given}
    assert "context" not in body


@pytest.mark.parametrize("cursor", ["", "7-0", "7-0\nm1"])
def test_a_stream_of_events_is_asked_for_without_states(cursor: str) -> None:
    """Such a run would tell its whole state after every step; the message's id stays with us."""
    told, usual = (
        LangGraph().follow(
            KNOWN.thread, RunId("r"), cursor, KNOWN.owner, replace(ACCESS, event_streaming=events)
        )
        for events in (True, False)
    )
    assert parse_qs(urlsplit(told.url).query) == {"stream_mode": ['["messages-tuple", "custom"]']}
    assert not urlsplit(usual.url).query
    assert told.headers["last-event-id"] == usual.headers["last-event-id"]
    assert told.headers["last-event-id"] == ("7-0" if cursor else "-1")
