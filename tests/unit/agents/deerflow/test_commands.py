"""What the Gateway itself answers in a chat."""

import pytest

from tests.flows import Script
from tests.unit.agents.deerflow.asking import (
    ACCESS,
    AGENT,
    OWNER,
    PERSONAL,
    THREAD,
    body_of,
    ok,
    refused,
)
from threadline.core.agent import AgentAccess
from threadline.core.errors import AgentRejected, NotOffered
from threadline.core.http import HttpRequest, HttpResponse
from threadline.core.ids import ThreadId

BUSY = refused(409, "Thread has a run in flight. Set the goal after the run finishes.")
NONE = ok({"goal": None})
SHIP = ok({"goal": {"objective": "ship it", "status": "active"}})


def told(
    name: str,
    argument: str,
    *answers: HttpResponse,
    thread: ThreadId = THREAD,
    access: AgentAccess = ACCESS,
) -> tuple[str, list[HttpRequest]]:
    """Give a command; every answer must be asked for."""
    script = Script(answers)
    said = script.run(AGENT.command(name, argument, thread, OWNER, access))
    assert len(script.requests) == len(answers)
    return said, script.requests


def test_models_are_listed() -> None:
    """Each by the name that people know and the one that is written in the configuration."""
    models = [
        {"name": "gpt", "display_name": "GPT"}, {"name": "plain", "display_name": "plain"},
        {"name": "bare"}, {},
    ]  # fmt: skip
    said, (call,) = told("models", "", ok({"models": models}))
    assert said == "Models:\n\n- GPT (`gpt`)\n- plain\n- bare"
    assert call.url.endswith("/api/models")


def test_no_models_are_no_list() -> None:
    """A Gateway without models says so."""
    assert told("models", "", ok({"models": []}))[0] == "No models."


@pytest.mark.parametrize(
    ("facts", "said"),
    [([], "0 facts remembered."), ([{"content": "secret"}], "1 fact remembered.")],
)
def test_memory_is_counted_and_not_shown(facts: list[dict[str, str]], said: str) -> None:
    """How much is remembered, in a chat where others may read, and never what."""
    assert told("memory", "", ok({"version": "1.0", "facts": facts}))[0] == said


@pytest.mark.parametrize("name", ["models", "memory"])
def test_a_personal_token_may_not_ask(name: str) -> None:
    """What is closed to it is not offered, without a call."""
    with pytest.raises(NotOffered):
        told(name, "", access=PERSONAL)


@pytest.mark.parametrize("name", ["bootstrap", "skills"])
def test_other_commands_are_not_offered(name: str) -> None:
    """The traits name what is offered, and nothing else is."""
    assert name not in AGENT.traits.commands
    with pytest.raises(NotOffered):
        told(name, "")


@pytest.mark.parametrize("access", [ACCESS, PERSONAL])
def test_a_goal_is_set(access: AgentAccess) -> None:
    """The words of the objective are one line; either token may set it."""
    said, (call,) = told("goal", "  ship \n it ", SHIP, access=access)
    assert said == "Goal: ship it"
    assert call.method == "PUT"
    assert call.url.endswith(f"/api/threads/{THREAD}/goal")
    assert body_of(call) == {"objective": "ship it"}


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
    assert told("goal", "", answer)[0] == said


@pytest.mark.parametrize("word", ["clear", "RESET", "off"])
@pytest.mark.parametrize("answer", [NONE, refused(404, "Thread nope not found")])
def test_a_goal_is_cleared(word: str, answer: HttpResponse) -> None:
    """Three words clear it, also where there is none."""
    said, (call,) = told("goal", word, answer)
    assert (said, call.method) == ("The goal is cleared.", "DELETE")


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("", "No goal is set here."),
        ("clear", "The goal is cleared."),
        ("ship it", "A goal belongs to a conversation: send a first message, then set it."),
    ],
)
def test_without_a_thread_nothing_is_called(argument: str, said: str) -> None:
    """A conversation that has not begun has no goal, and none is made for it."""
    assert told("goal", argument, thread=ThreadId("")) == (said, [])


@pytest.mark.parametrize("argument", ["ship it", "clear"])
def test_a_goal_is_not_changed_during_a_run(argument: str) -> None:
    """The refusal is told in words."""
    assert told("goal", argument, BUSY)[0].startswith("A run is going on here")


def test_a_goal_that_is_too_long_is_told() -> None:
    """It is not cut, and no call is made."""
    assert told("goal", "x" * 4001)[0] == "A goal has at most 4000 characters."


def test_a_refusal_is_an_error() -> None:
    """A personal token may lack the scope."""
    with pytest.raises(AgentRejected, match="threads:write"):
        told("goal", "ship it", refused(403, "Permission denied: threads:write"), access=PERSONAL)
