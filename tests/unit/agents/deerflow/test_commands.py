"""What the Gateway itself answers in a chat."""

from dataclasses import replace
from typing import Any

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import (
    ACCESS,
    AGENT,
    OWNER,
    PERSONAL,
    REQUEST,
    THREAD,
    body_of,
    ok,
    refused,
)
from threadline.agents.deerflow.message import BOOTSTRAP
from threadline.core.agent import AgentAccess, Prompt
from threadline.core.command import Command, CommandName
from threadline.core.errors import AgentBusy, AgentRejected, AgentUnavailable, NotOffered
from threadline.core.http import HttpRequest, HttpResponse, Lost

BUSY = refused(409, "Thread has a run in flight. Set the goal after the run finishes.")
NONE = ok({"goal": None})
SHIP = ok({"goal": {"objective": "ship it", "status": "active"}})


def told(
    name: str, *answers: HttpResponse, access: AgentAccess = ACCESS
) -> tuple[str, list[HttpRequest]]:
    """Give a command that may come at any time; every answer must be asked for."""
    script = Script(answers)
    said = script.run(AGENT.command(name, OWNER, access))
    assert len(script.requests) == len(answers)
    return said, script.requests


def obeyed(
    argument: str,
    *answers: HttpResponse | Lost,
    name: CommandName = CommandName.GOAL,
    new_thread: bool = False,
    access: AgentAccess = ACCESS,
) -> tuple[str, list[HttpRequest]]:
    """Give a command in its turn; every answer must be asked for."""
    script = Script(answers)
    wanted = replace(REQUEST, order=Command(name, argument), new_thread=new_thread)
    said = script.run(AGENT.obey(wanted, access))
    assert len(script.requests) == len(answers)
    return said, script.requests


def test_models_are_listed() -> None:
    """Each by the name that people know and the one that is written in the configuration."""
    models = [
        {"name": "gpt", "display_name": "GPT"}, {"name": "plain", "display_name": "plain"},
        {"name": "bare"}, {},
    ]  # fmt: skip
    said, (call,) = told("models", ok({"models": models}))
    assert said == "Models:\n\n- GPT (`gpt`)\n- plain\n- bare"
    assert call.url.endswith("/api/models")


def test_no_models_are_no_list() -> None:
    """A Gateway without models says so."""
    assert told("models", ok({"models": []}))[0] == "No models."


@pytest.mark.parametrize(
    ("facts", "said"),
    [([], "0 facts remembered."), ([{"content": "secret"}], "1 fact remembered.")],
)
def test_memory_is_counted_and_not_shown(facts: list[dict[str, str]], said: str) -> None:
    """How much is remembered, in a chat where others may read, and never what."""
    assert told("memory", ok({"version": "1.0", "facts": facts}))[0] == said


@pytest.mark.parametrize("name", ["models", "memory"])
def test_a_personal_token_may_not_ask(name: str) -> None:
    """What is closed to it is not offered, without a call."""
    with pytest.raises(NotOffered):
        told(name, access=PERSONAL)


@pytest.mark.parametrize("name", ["goal", "bootstrap", "skills"])
def test_other_commands_are_no_questions(name: str) -> None:
    """What changes a thread has its turn, and what nobody knows is not offered."""
    with pytest.raises(NotOffered):
        told(name)


@pytest.mark.parametrize("name", [CommandName.MODELS, CommandName.NEW])
def test_nothing_else_has_a_turn(name: CommandName) -> None:
    """A command that changes no thread is none of a turn's business."""
    with pytest.raises(NotOffered):
        obeyed("", name=name)
    with pytest.raises(NotOffered):
        Script([]).run(AGENT.obey(REQUEST, ACCESS))


@pytest.mark.parametrize("access", [ACCESS, PERSONAL])
def test_a_goal_is_set(access: AgentAccess) -> None:
    """The words of the objective are one line; either token may set it; its run says the rest."""
    said, (call,) = obeyed("  ship \n it ", SHIP, access=access)
    assert said == ""
    assert call.method == "PUT"
    assert call.url.endswith(f"/api/threads/{THREAD}/goal")
    assert body_of(call) == {"objective": "ship it"}


def test_a_goal_makes_a_new_thread_first() -> None:
    """So that the thread says where it came from."""
    said, (made, put) = obeyed("ship it", ok({"thread_id": THREAD}), SHIP, new_thread=True)
    assert said == ""
    assert (made.method, body_of(made)["thread_id"]) == ("POST", THREAD)
    assert put.method == "PUT"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (SHIP, "Goal: ship it"),
        (NONE, "No goal is set here."),
        (refused(404, "Thread nope not found"), "No goal is set here."),
    ],
)
def test_a_goal_is_shown(answer: HttpResponse, said: str) -> None:
    """Without words the goal is read."""
    assert obeyed("", answer)[0] == said


@pytest.mark.parametrize("word", ["clear", "RESET", "off"])
@pytest.mark.parametrize("answer", [NONE, refused(404, "Thread nope not found")])
def test_a_goal_is_cleared(word: str, answer: HttpResponse) -> None:
    """Three words clear it, also where there is none."""
    said, (call,) = obeyed(word, answer)
    assert (said, call.method) == ("The goal is cleared.", "DELETE")


@pytest.mark.parametrize(
    ("argument", "said"), [("", "No goal is set here."), ("clear", "The goal is cleared.")]
)
def test_of_a_new_thread_nothing_is_asked(argument: str, said: str) -> None:
    """A conversation that has not begun has no goal, and no thread is made to say so."""
    assert obeyed(argument, new_thread=True) == (said, [])


@pytest.mark.parametrize("argument", ["", "ship it", "clear"])
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (BUSY, AgentBusy),
        (refused(403, "Permission denied: threads:write"), AgentRejected),
        (HttpResponse(502), AgentUnavailable),
        (Lost("timeout", sent=True), AgentUnavailable),
    ],
)
def test_a_goal_that_is_not_taken_is_an_error(
    argument: str, answer: HttpResponse | Lost, error: type[Exception]
) -> None:
    """During a run it waits, a lost answer is simply asked for again, a refusal is told."""
    with pytest.raises(error):
        obeyed(argument, answer)


def test_a_goal_that_is_too_long_is_told() -> None:
    """It is not cut, and no call is made."""
    assert obeyed("x" * 4001)[0] == "A goal has at most 4000 characters."


def test_bootstrap_is_a_run_that_sets_the_workspace_up() -> None:
    """Nothing is asked before it; its run knows what it is, and has words where none were given."""
    assert obeyed("", name=CommandName.BOOTSTRAP) == ("", [])
    for words, asked in (("", BOOTSTRAP), ("use tabs", "use tabs")):
        order = Command(CommandName.BOOTSTRAP, words)
        script = Script([ok({"run_id": "r"})])
        script.run(AGENT.start(replace(REQUEST, prompt=Prompt(words), order=order), ACCESS))
        sent: Any = body_of(script.requests[0])
        assert sent["context"]["is_bootstrap"] is True
        assert sent["input"]["messages"][0]["content"] == asked
