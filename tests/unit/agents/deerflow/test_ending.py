"""How a run ended, read from the run and from what it left in its thread."""

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import ACCESS, AGENT, OWNER, RUN, THREAD, TURN, ok, refused
from threadline.core.agent import Artifact, Outcome, RunStatus
from threadline.core.errors import AgentError, AgentUnavailable, AgentUnknown
from threadline.core.http import HttpResponse, Lost
from threadline.core.json import Json

HIDDEN: Json = {"hide_from_ui": True}
EXCUSE = "LLM request failed: Error code: 400 - {'error': 'of the provider'}"


def run(status: str, reason: str | None = None) -> HttpResponse:
    """Answer with where the run stands."""
    return ok({"run_id": RUN, "status": status, "stop_reason": reason})


def state(*messages: Json) -> HttpResponse:
    """Answer with a thread's state; files of earlier runs add up in it."""
    artifacts = ["/mnt/user-data/outputs/old.txt", "/mnt/user-data/outputs/new.txt"]
    return ok({"values": {"messages": messages, "artifacts": artifacts, "title": "A title"}})


def human(run_id: str = RUN, id_: str = "x", **marks: Json) -> Json:
    """A person's message as the Gateway keeps it."""
    return {
        "type": "human", "id": id_, "content": "?", "name": "user-input",
        "additional_kwargs": {"run_id": run_id, **marks},
    }  # fmt: skip


def ai(text: str, *calls: Json, **marks: Json) -> Json:
    """An assistant's message."""
    return {
        "type": "ai", "id": f"ai-{text}", "content": text, "tool_calls": calls,
        "additional_kwargs": marks,
    }  # fmt: skip


def tool(name: str, content: str, **more: Json) -> Json:
    """A tool's result."""
    return {"type": "tool", "name": name, "id": f"{name}:1", "content": content, **more}


def presents(*paths: str) -> Json:
    """A call that shows files to the person."""
    return {"name": "present_files", "args": {"filepaths": paths}}


def outcome(*answers: HttpResponse | Lost) -> Outcome:
    """Read the outcome; every answer must be asked for."""
    script = Script(answers)
    found = script.run(AGENT.outcome(THREAD, RUN, TURN, OWNER, ACCESS))
    assert len(script.requests) == len(answers)
    return found


@pytest.mark.parametrize("status", ["pending", "running"])
def test_a_run_that_goes_on_costs_one_call(status: str) -> None:
    """Nothing but the status is read before the end."""
    assert outcome(run(status)) == Outcome(status=RunStatus(status))


def test_the_answer_is_this_runs_own() -> None:
    """Earlier and later turns, reminders, memories and titles are no part of it."""
    hidden: Json = {"type": "human", "id": "m", "content": "<memory>", "additional_kwargs": HIDDEN}
    found = outcome(
        run("success"),
        state(
            {"type": "system", "id": TURN, "content": "today", "additional_kwargs": HIDDEN},
            human("earlier"), ai("old"),
            human(), hidden, ai("Let me look."), tool("web_search", "secret"), ai("ours"),
            human("later"), ai("theirs"),
        ),
    )  # fmt: skip
    assert found == Outcome(status=RunStatus.SUCCESS, text="ours")


@pytest.mark.parametrize("id_", [TURN, f"{TURN}__user"])
def test_a_message_without_a_mark_is_known_by_its_id(id_: str) -> None:
    """The first message of a thread gets a longer id than the one it was sent with."""
    assert outcome(run("success"), state(human("", id_), ai("ours"))).text == "ours"


def test_a_message_that_was_summed_up_leaves_the_log() -> None:
    """Where the thread no longer holds the message, the server's log of the run is read."""
    rows: Json = [
        {"event_type": "llm.human.input", "content": human()},
        {"event_type": "llm.ai.response", "content": ai("of a helper"),
         "metadata": {"caller": "subagent:1"}},
        {"event_type": "llm.ai.response", "content": ai("ours"),
         "metadata": {"caller": "lead_agent"}},
        {"event_type": "llm.ai.response", "content": ai("a title"),
         "metadata": {"caller": "middleware:title"}},
    ]  # fmt: skip
    found = outcome(
        run("success"),
        state(human("later"), ai("theirs")),
        ok({"data": rows, "has_more": False}),
    )
    assert found == Outcome(status=RunStatus.SUCCESS, text="ours")


def test_a_model_that_failed_is_a_failure_and_its_excuse_is_the_operators() -> None:
    """The excuse may hold the provider's details: it is the error, never the text."""
    answers = (state(human(), ai("Half an"), ai(EXCUSE, deerflow_error_fallback=True)),)
    found = outcome(run("error"), *answers)
    assert (found.status, found.text, found.error) == (RunStatus.ERROR, "Half an", EXCUSE)


def test_an_excuse_comes_with_what_the_provider_said() -> None:
    """The words for people say little; the operator reads the provider's own behind them."""
    excuse = ai("Unavailable.", deerflow_error_fallback=True, error_detail="Error code: 401")
    assert outcome(run("error"), state(human(), excuse)).error == "Unavailable. (Error code: 401)"


def test_a_success_that_is_none_is_a_failure() -> None:
    """A run that calls itself a success over a failed model is not one."""
    found = outcome(run("success"), state(human(), ai(EXCUSE, deerflow_error_fallback=True)))
    assert found == Outcome(status=RunStatus.ERROR, error=EXCUSE)


@pytest.mark.parametrize(
    "content",
    [
        "GraphRecursionError: Recursion limit of 2 reached",
        {"error": "GraphRecursionError: Recursion limit of 2 reached"},
    ],
)
def test_an_error_of_the_graph_is_read_from_the_log(content: Json) -> None:
    """The run itself does not tell it, and the thread holds nothing but the question."""
    rows: Json = [{"event_type": "run.start"}, {"event_type": "run.error", "content": content}]
    found = outcome(run("error"), state(human()), ok(rows))
    assert found.error == "GraphRecursionError: Recursion limit of 2 reached"
    assert found.text == ""


@pytest.mark.parametrize("answer", [ok([]), HttpResponse(503), refused(404, "Not Found")])
def test_an_outcome_does_not_wait_for_the_error(answer: HttpResponse) -> None:
    """A log that is gone or out of reach leaves the reason that the run itself gives."""
    found = outcome(run("error", "orphan_recovered"), state(human()), answer)
    assert found == Outcome(status=RunStatus.ERROR, error="orphan_recovered")


def test_a_cancelled_run_left_nothing() -> None:
    """What had streamed is nowhere: the text is what the stream showed."""
    assert outcome(run("interrupted"), state(human())) == Outcome(status=RunStatus.INTERRUPTED)


def asked(content: str, *labels: str) -> Json:
    """A question of the tool."""
    options: Json = [{"id": f"option-{label}", "label": label, "value": label} for label in labels]
    human_input: Json = {"request_id": "clarification:call_1", "question": "Q?", "options": options}
    return tool("ask_clarification", content, artifact={"human_input": human_input})


def test_a_success_may_ask() -> None:
    """The tool's message is the question, as it was worded for people; what went before is not."""
    content = "❓ I need it to paint.\n\nWhich colour?\n\n  1. red\n  2. blue"
    found = outcome(
        run("success"), state(human(), ai("Let me ask."), asked(content, "red", "blue"))
    )
    assert found == Outcome(status=RunStatus.SUCCESS, question=content, options=("red", "blue"))


def test_a_question_without_words_is_read_from_its_form() -> None:
    """Where the message is empty, the form beside it has the question."""
    assert outcome(run("success"), state(human(), asked("", "red"))).question == "Q?"


@pytest.mark.parametrize(
    "after",
    [ai("Never mind."), ai("", {"name": "web_search", "args": {}}), tool("web_search", "found")],
)
def test_a_question_that_something_came_after_is_settled(after: Json) -> None:
    """Only what waits at the very end is asked."""
    assert outcome(run("success"), state(human(), asked("Which?"), after)).question == ""


def test_a_hidden_message_settles_no_question() -> None:
    """What is meant for the model alone, though it bears a person's type, is nobody's answer."""
    hidden: Json = {"hide_from_ui": True}
    memory: Json = {"type": "human", "content": "<memory>", "additional_kwargs": hidden}
    assert outcome(run("success"), state(human(), asked("Which?"), memory)).question == "Which?"


def test_a_failed_run_asks_nothing() -> None:
    """A question of a run that failed cannot be answered."""
    found = outcome(run("error"), state(human(), asked("Which?")), ok([]))
    assert (found.status, found.question) == (RunStatus.ERROR, "")


def test_files_are_those_this_run_presented() -> None:
    """The thread's own list grows from turn to turn; what the run presented is in its calls."""
    found = outcome(
        run("success"),
        state(
            human("earlier"), ai("", presents("/mnt/user-data/outputs/old.txt")), ai("old"),
            human(), ai("", presents("/mnt/user-data/outputs/new.txt")),
            tool("present_files", "ok"), ai("Made it."),
        ),
    )  # fmt: skip
    assert found.artifacts == (
        Artifact("/mnt/user-data/outputs/new.txt", "new.txt", "text/plain"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "answers",
    [
        (refused(404, "Run nope not found"),),
        (run("success"), refused(404, "Thread nope not found")),
        (run("success"), state(), refused(404, "Thread nope not found")),
    ],
)
def test_what_is_gone_is_missing(answers: tuple[HttpResponse, ...]) -> None:
    """A run or thread that was deleted has no outcome."""
    assert outcome(*answers) == Outcome(status=RunStatus.MISSING)


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ((Lost("refused", sent=False),), AgentUnavailable),
        ((run("success"), HttpResponse(500, {}, b"Internal Server Error")), AgentUnknown),
        ((run("queued"),), AgentUnknown),
    ],
)
def test_what_cannot_be_read_is_an_error(
    answers: tuple[HttpResponse | Lost, ...], error: type[AgentError]
) -> None:
    """An outcome is never guessed: whoever asks may ask again."""
    with pytest.raises(AgentError) as caught:
        outcome(*answers)
    assert type(caught.value) is error
