"""Starting a run, what is sent for it, and what each answer leaves us knowing."""

from dataclasses import replace

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import (
    ACCESS,
    AGENT,
    PERSONAL,
    REQUEST,
    body_of,
    ok,
    refused,
)
from threadline.core.agent import AgentAccess, InlineImage, Prompt, RunRequest, StoredFile
from threadline.core.errors import (
    AgentBusy,
    AgentError,
    AgentRejected,
    AgentUnavailable,
    AgentUnknown,
    ThreadMissing,
)
from threadline.core.http import BlobRef, HttpResponse, Lost
from threadline.core.ids import RunId, ThreadId
from threadline.core.json import Json

NEW = replace(REQUEST, new_thread=True)
THREAD = ok({"thread_id": "t", "status": "idle"})
CREATED = ok({"run_id": "r", "status": "pending"})
BUSY = "Thread t already has an active run"


def start(
    request: RunRequest, *answers: HttpResponse | Lost, access: AgentAccess = ACCESS
) -> Script:
    """Start a run on these answers."""
    script = Script(answers)
    assert script.run(AGENT.start(request, access)) == RunId("r")
    return script


def test_every_field_that_is_sent_is_one_that_is_taken() -> None:
    """The body holds these fields and no other: the Gateway refuses what it does not know."""
    (call,) = start(REQUEST, CREATED).requests
    assert call.headers["idempotency-key"] == REQUEST.turn
    assert body_of(call) == {
        "assistant_id": "lead_agent",
        "input": {
            "messages": [{"type": "human", "id": "1750000000000-abc", "content": "hello"}],
        },
        "metadata": {"conversation": "slack/c", "turn_id": "1750000000000-abc"},
        "config": {"recursion_limit": 100},
        "context": {
            "thinking_enabled": True,
            "is_plan_mode": False,
            "subagent_enabled": False,
            "user_id": "alice",
        },
        "stream_mode": ["messages-tuple", "custom"],
        "on_disconnect": "continue",
        "multitask_strategy": "reject",
    }


@pytest.mark.parametrize("wanted", [{"webhook": "https://x/ended"}, {"answers": True}])
def test_what_a_gateway_refuses_is_never_sent(wanted: dict[str, Json]) -> None:
    """No callback, no resumed command, no queueing and no resumable stream, whatever is asked."""
    request = replace(REQUEST, **wanted)  # type: ignore[arg-type]
    answers = [ok({"values": {"messages": []}}), CREATED] if request.answers else [CREATED]
    body = body_of(start(request, *answers).requests[-1])
    assert not {"webhook", "command", "stream_resumable", "if_not_exists"} & set(body)
    assert body["multitask_strategy"] == "reject"


def test_a_new_thread_is_created_first_with_its_origin() -> None:
    """Its id and where it comes from are all that is sent; empty origins are left out."""
    thread, run = start(NEW, THREAD, CREATED).requests
    assert thread.url.endswith("/api/threads")
    assert body_of(thread) == {
        "thread_id": REQUEST.thread,
        "metadata": {
            "channel_source": {"type": "im_channel", "provider": "slack", "chat_id": "C1"}
        },
    }
    assert run.url.endswith(f"/api/threads/{REQUEST.thread}/runs")


def test_creating_is_never_repeated_by_itself() -> None:
    """The policy may send nothing twice whose effect is not known."""
    assert not any(call.repeatable for call in start(NEW, THREAD, CREATED).requests)


@pytest.mark.parametrize("thread", ["", "slack:T1:C1", "C1.17", "x" * 65])
def test_an_id_that_is_not_taken_is_not_sent(thread: str) -> None:
    """A thread id of other characters or length is refused before any call."""
    with pytest.raises(AgentRejected, match="thread id"):
        start(replace(NEW, thread=ThreadId(thread)))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (refused(409, BUSY), AgentBusy),
        (refused(404, "Thread t not found"), ThreadMissing),
        (refused(401, {"code": "not_authenticated", "message": "Authentication required"}),
         AgentRejected),
        (refused(403, "CSRF token missing. Include X-CSRF-Token header."), AgentRejected),
        (refused(400, "Model 'nope' is not in the configured model allowlist"), AgentRejected),
        (refused(422, [{"type": "extra_forbidden", "loc": ["body", "foo"]}]), AgentRejected),
        (HttpResponse(500, {"content-type": "text/plain"}, b"Internal Server Error"),
         AgentUnknown),
        (HttpResponse(503), AgentUnavailable),
        (HttpResponse(502), AgentUnknown),
        (Lost("refused", sent=False), AgentUnavailable),
        (Lost("reset", sent=True), AgentUnknown),
        (Lost("timeout", sent=True), AgentUnknown),
        (ok({}), AgentUnknown),
        (HttpResponse(200, {}, b"<html>"), AgentUnknown),
    ],
)  # fmt: skip
def test_each_answer_to_a_run_has_its_error(
    answer: HttpResponse | Lost, error: type[AgentError]
) -> None:
    """A create that may have worked is never reported as one that did not."""
    with pytest.raises(AgentError) as caught:
        start(REQUEST, answer)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("CSRF token mismatch.", "CSRF token mismatch."),
        ({"code": "not_authenticated", "message": "Authentication required"}, "Authentication"),
        ([{"type": "unsupported_run_option", "loc": ["body", "webhook"]}], "at body.webhook"),
    ],
)
def test_a_refusal_tells_why_in_each_of_its_shapes(detail: Json, told: str) -> None:
    """A sentence, an object and a list of faults all reach the operator."""
    with pytest.raises(AgentRejected, match=told):
        start(REQUEST, refused(422, detail))


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Lost("reset", sent=True), AgentUnavailable),
        (HttpResponse(500), AgentUnavailable),
        (HttpResponse(200, {}, b"<html>"), AgentUnavailable),
        (refused(404, "Not Found"), AgentRejected),
        (refused(403, "CSRF token missing."), AgentRejected),
        (refused(422, [{"type": "string_pattern_mismatch"}]), AgentRejected),
    ],
)
def test_a_thread_that_was_not_created_certainly_has_no_run(
    answer: HttpResponse | Lost, error: type[AgentError]
) -> None:
    """Whatever becomes of the thread, the run was not asked for yet."""
    with pytest.raises(AgentError) as caught:
        start(NEW, answer)
    assert type(caught.value) is error


def test_uploads_are_marks_and_other_files_text() -> None:
    """What lies in the agent's folder is told beside the text, what does not is named in it."""
    uploaded = StoredFile(
        "a.pdf", "application/pdf", BlobRef("files/t/00", 5), link="/mnt/user-data/uploads/a-1.pdf"
    )
    linked = StoredFile("b.txt", "text/plain", BlobRef("files/t/01", 3), link="https://x/b")
    prompt = Prompt("look", images=(InlineImage("image/png", b"\x89"),), files=(uploaded, linked))
    (call,) = start(replace(REQUEST, prompt=prompt), CREATED).requests
    given = body_of(call)["input"]
    assert isinstance(given, dict)
    (message,) = given["messages"]
    assert message["additional_kwargs"] == {
        "files": [
            {
                "filename": "a-1.pdf",
                "size": 5,
                "path": "/mnt/user-data/uploads/a-1.pdf",
                "status": "uploaded",
            }
        ]
    }
    text, image = message["content"]
    assert text["text"] == "look\n\nAttached files:\n- b.txt (text/plain): https://x/b"
    assert image["image_url"]["url"].startswith("data:image/png;base64,")


ASKED = ok(
    {
        "values": {
            "messages": [
                {"type": "human", "id": "h", "content": "paint it"},
                {"type": "ai", "id": "a", "content": "", "tool_calls": []},
                {
                    "type": "tool",
                    "name": "ask_clarification",
                    "id": "clarification:call_136",
                    "content": "Which colour?\n\n  1. red\n  2. blue",
                    "artifact": {
                        "human_input": {
                            "request_id": "clarification:call_136",
                            "question": "Which colour?",
                            "options": [
                                {"id": "option-1", "label": "red", "value": "red"},
                                {"id": "option-2", "label": "Deep blue", "value": "blue"},
                            ],
                        }
                    },
                },
            ]
        }
    }
)


@pytest.mark.parametrize("text", ["deep blue", " Blue "])
def test_a_picked_option_goes_back_as_such(text: str) -> None:
    """An answer that is an option's label or value names the option; the text stays as written."""
    answer = replace(REQUEST, answers=True, prompt=Prompt(text))
    state, run = start(answer, ASKED, CREATED).requests
    assert state.method == "GET"
    given = body_of(run)["input"]
    assert isinstance(given, dict)
    (message,) = given["messages"]
    assert message["content"] == text
    assert message["additional_kwargs"]["human_input_response"] == {
        "version": 1,
        "kind": "human_input_response",
        "source": "ask_clarification",
        "request_id": "clarification:call_136",
        "response_kind": "option",
        "option_id": "option-2",
        "value": "blue",
    }


@pytest.mark.parametrize(
    ("state", "text"),
    [(ASKED, "green"), (ok({"values": {"messages": []}}), "red"), (HttpResponse(500), "red")],
)
def test_any_other_answer_is_a_plain_message(state: HttpResponse, text: str) -> None:
    """A free answer, a question that is gone and a state that cannot be read all go on."""
    answer = replace(REQUEST, answers=True, prompt=Prompt(text))
    given = body_of(start(answer, state, CREATED).requests[-1])["input"]
    assert isinstance(given, dict)
    assert "additional_kwargs" not in given["messages"][0]


def test_a_personal_token_names_nobody_else() -> None:
    """What only trusted callers may say is left out: the token's own user is meant."""
    request = replace(REQUEST, context={"user_id": "bob", "channel_user_id": "U1", "mode": "fast"})
    body = body_of(start(request, CREATED, access=PERSONAL).requests[0])
    context = body["context"]
    assert isinstance(context, dict)
    assert context["mode"] == "fast"
    assert not {"user_id", "channel_user_id"} & set(context)
