"""The agent's callback at the end of a run: a hint that can be late, forged, early or refused."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation, settings_with
from threadline.core.settings import ReplyMode

type Make = Callable[..., Simulation]

HEADERS = {"x-threadline-secret": "callback-secret"}


def with_callbacks(simulate: Make, **binding: Any) -> Simulation:
    """Make an installation whose agent calls back."""
    settings = settings_with(binding, webhook=True)
    world = simulate(settings=replace(settings, public_url="https://bot.example"))
    world.ports.ports.secrets.put("agent/demo", {"callback": "callback-secret"})
    return world


def call_of(world: Simulation) -> dict[str, Any]:
    """Give the body the agent sends at the end of its first run."""
    run = world.agent.runs()[0]
    return {"run_id": run.id, "status": "success", "metadata": dict(run.metadata)}


def test_a_callback_ends_an_unwatched_turn_at_once(simulate: Make) -> None:
    """With `reply: log` the callback brings the backlog on without waiting for the sweep."""
    world = with_callbacks(simulate, reply=ReplyMode.LOG)
    world.write("sleep 2")
    world.run(4)
    assert world.callback("demo", call_of(world), HEADERS)["statusCode"] == 200
    world.run(2)
    assert world.quiet()


@pytest.mark.parametrize("times", [1, 5])
def test_early_and_repeated_callbacks_change_nothing(simulate: Make, times: int) -> None:
    """A callback before the end, any number of times, neither ends nor doubles the answer."""
    world = with_callbacks(simulate)
    world.write("sleep 9")
    world.run(3)
    for _ in range(times):
        assert world.callback("demo", call_of(world), HEADERS)["statusCode"] == 200
    world.run()
    assert world.shown() == ["slept 9"]
    assert len(world.agent.runs()) == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [({}, 401), ({"x-threadline-secret": "wrong"}, 401), (HEADERS, 200)],
    ids=["no secret", "wrong secret", "right secret"],
)
def test_only_the_secret_opens_the_route(
    simulate: Make, headers: dict[str, str], status: int
) -> None:
    """Without the agent's own secret a callback is refused."""
    world = with_callbacks(simulate)
    assert world.callback("demo", {"metadata": {}}, headers)["statusCode"] == status


def test_without_a_secret_there_is_no_route(simulate: Make) -> None:
    """An agent without a callback secret, or one nobody knows, is answered 404."""
    world = simulate()
    assert world.callback("demo", {}, HEADERS)["statusCode"] == 404
    assert world.callback("nobody", {}, HEADERS)["statusCode"] == 404


@pytest.mark.parametrize(
    "body", [{}, {"metadata": 5}, {"metadata": {"conversation": 5, "mailbox": []}}]
)
def test_a_body_that_names_nothing_is_harmless(simulate: Make, body: dict[str, Any]) -> None:
    """What a callback says is not trusted: an unreadable one is taken and changes nothing."""
    world = with_callbacks(simulate)
    assert world.callback("demo", body, HEADERS)["statusCode"] == 200
    world.run(5)
    assert world.quiet()


def test_a_forged_conversation_is_harmless(simulate: Make) -> None:
    """A callback that names a conversation nobody has changes nothing."""
    world = with_callbacks(simulate)
    place = {"conversation": "telegram/default//1/", "mailbox": "telegram/default/1"}
    world.callback("demo", {"metadata": place}, HEADERS)
    world.run(5)
    assert world.quiet()


def test_a_refused_callback_is_done_without(simulate: Make) -> None:
    """An agent that refuses the callback still runs, and its answer is seen by following it."""
    world = with_callbacks(simulate)
    world.agent.faults["POST runs"] = [422]
    world.write("sleep 8")
    world.run()
    assert world.shown() == ["slept 8"]
    assert len(world.agent.runs()) == 1


@pytest.mark.parametrize("name", ["", "\U0001f600" * 1000, "\ud800", "x\x00y"])
def test_a_name_that_no_conversation_has_leaves_no_dead_letter(simulate: Make, name: str) -> None:
    """Names no store or queue would take are no 5xx for the agent, and nothing for an operator."""
    world = with_callbacks(simulate)
    place = {"conversation": name, "mailbox": name}
    assert world.callback("demo", {"metadata": place}, HEADERS)["statusCode"] < 500
    world.run(300)
    assert letters_of(world).letters() == ()


def test_a_secret_that_is_no_text_is_refused(simulate: Make) -> None:
    """A header that cannot be encoded is a wrong secret, never a 5xx."""
    world = with_callbacks(simulate)
    assert world.callback("demo", {}, {"x-threadline-secret": "\ud800"})["statusCode"] == 401
