"""Turns with a Gateway of DeerFlow's, where it is unlike any other agent: its three kinds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.simulation.deerflow import GatewaySimulation, NewerSimulation, PersonalSimulation
from tests.simulation.world import settings_with
from tests.stubs.deerflow_rules import PERSONAL_OWNER
from tests.stubs.deerflow_runs import FALLBACK, GatewayRun, flood
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.settings import Session
from threadline.core.texts import say

KINDS = (GatewaySimulation, NewerSimulation, PersonalSimulation)

type Make = Callable[..., GatewaySimulation]


@pytest.fixture(params=KINDS, ids=["older", "newer", "personal"])
def simulate(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    """Give a maker of simulations with a Gateway of each kind."""
    made: list[GatewaySimulation] = []

    def make(**how: Any) -> GatewaySimulation:
        made.append(request.param(tmp_path / str(len(made)), **how))
        return made[-1]

    yield make
    for one in made:
        one.close()
        assert one.gateway.takeovers == []


def last(world: GatewaySimulation) -> GatewayRun:
    """Give the youngest run."""
    run = world.agent.runs()[-1]
    assert isinstance(run, GatewayRun)
    return run


def test_a_message_is_answered_on_behalf_of_its_owner(simulate: Make) -> None:
    """One run, for the sender's own store; for a personal token, in the store of its user."""
    world = simulate()
    world.write("hello")
    world.run()
    assert world.shown() == ["echo: hello"]
    expected = PERSONAL_OWNER if world.personal else "telegram-77"
    assert {run.owner for run in world.agent.runs() if isinstance(run, GatewayRun)} == {expected}


def test_what_is_configured_reaches_the_run(simulate: Make) -> None:
    """Keys that a Gateway honours go into the context, others stay out, and who it is for wins."""
    session = Session(
        config={"recursion_limit": 40, "configurable": {"mode": "fast", "thread_id": "mine"}},
        context={"model_name": "fake-think", "user_id": "forged", "color": "red"},
    )
    world = simulate(settings=settings_with({"sessions": (session,)}))
    world.write("hello")
    world.run()
    run = last(world)
    assert run.config == {"recursion_limit": 40}
    whom = {} if world.personal else {"user_id": "telegram-77", "channel_user_id": "77"}
    assert run.context == {
        "mode": "fast", "model_name": "fake-think", "thinking_enabled": True,
        "is_plan_mode": False, "subagent_enabled": False, **whom,
    }  # fmt: skip


def test_a_failed_model_is_told_as_a_failure(simulate: Make) -> None:
    """The run is read, so that the excuse in the model's place is never shown as an answer."""
    world = simulate()
    world.write("fails")
    world.run()
    assert world.shown() == [say("run_failed", "en")]
    told = "".join(str(call.parameters) for call in world.telegram.calls)
    assert FALLBACK not in told
    assert "of the provider" not in told
    world.write("hello")
    world.run()
    assert world.shown()[-1] == "echo: hello"


@pytest.mark.parametrize(("answer", "picked"), [("Blue", "option-2"), ("rather green", "")])
def test_a_question_is_answered_by_a_message(simulate: Make, answer: str, picked: str) -> None:
    """The question is shown as asked; an answer that is one of its options goes back as that."""
    world = simulate()
    world.write("choose")
    world.run(20)
    assert "Which colour?" in world.shown()[0]
    assert "2. blue" in world.shown()[0]
    world.write(answer)
    world.run()
    assert world.shown()[1:] == [f"echo: {answer}"]
    marks = last(world).human.get("additional_kwargs", {})
    assert marks.get("human_input_response", {}).get("option_id", "") == picked


def test_only_files_of_this_run_are_told(simulate: Make) -> None:
    """A thread's artifacts add up; an answer names those its own run presented."""
    world = simulate()
    world.write("present one.txt")
    world.run()
    world.write("present two.txt")
    world.run()
    assert [text for text in world.shown() if text] == [
        f"Made one.txt.\n\n{say('files', 'en', names='one.txt')}",
        f"Made two.txt.\n\n{say('files', 'en', names='two.txt')}",
    ]


def photo(number: int) -> dict[str, Any]:
    """Make a document as a phone names it."""
    return {"file_id": f"F{number}", "file_unique_id": f"u{number}", "file_name": "photo.jpg",
            "file_size": 4, "mime_type": "image/jpeg"}  # fmt: skip


def test_files_lie_in_the_agents_folder(simulate: Make) -> None:
    """Two files of one name are two uploads; a personal token may not upload, so it names them."""
    world = simulate()
    for number, content in enumerate((b"ONE!", b"TWO!")):
        world.telegram.add_file(f"F{number}", content)
        world.write("", document=photo(number), caption=f"picture {number}")
        world.run()
    runs = world.agent.runs()
    marks = [run.human.get("additional_kwargs", {}).get("files", []) for run in runs]
    folder = world.gateway.files.of("telegram-77", runs[0].thread)
    if world.personal:
        assert marks == [[], []]
        assert folder == {}
        return
    assert [folder[one["path"]] for files in marks for one in files] == [b"ONE!", b"TWO!"]
    assert [run.human["content"] for run in runs] == ["picture 0", "picture 1"]


def test_who_leaves_a_stream_stops_nothing(simulate: Make) -> None:
    """A follower that hands over leaves a run that goes on: it was made to."""
    world = simulate()
    world.write("sleep 20")
    world.run(6)
    world.watch.hand_over()
    world.run(2)
    world.watch.leaving = False
    world.run()
    assert last(world).cancelled_at is None
    assert world.shown() == ["slept 20"]


def test_a_thread_is_busy_for_a_moment_after_its_run(simulate: Make) -> None:
    """A refusal right after an end is tried again until the thread is free; one run a message."""
    world = simulate()
    world.write("hello")
    world.run(until=lambda: bool(world.agent.runs()))
    last(world).tail = 2.0
    world.write("again")
    world.run()
    assert world.shown() == ["echo: hello", "echo: again"]
    creates = [
        path for method, path in world.agent.calls if (method, path[-5:]) == ("POST", "/runs")
    ]
    assert len(creates) > len(world.agent.runs()) == 2


@pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
def test_a_gateway_that_goes_down_ends_its_runs(simulate: Make, killed: bool) -> None:
    """A run cut short is said to be; what cannot be joined is polled, and the next turn runs."""
    world = simulate()
    world.write("sleep 60")
    world.run(20)
    world.gateway.restart(killed=killed)
    world.run(100)
    shown = world.shown()[0]
    assert shown.endswith(say("run_partial" if killed else "stopped", "en"))
    world.write("hello")
    world.run()
    assert world.shown()[1:] == ["echo: hello"]


def test_an_answer_is_read_where_nothing_can_be_joined_any_more(simulate: Make) -> None:
    """After a restart the run is known and its stream is not: the answer comes from the thread."""
    world = simulate()
    world.write("hello")
    world.run(until=lambda: bool(world.agent.runs()))
    world.clock.advance(10)
    world.gateway.restart(killed=False)
    world.run()
    assert world.shown() == ["echo: hello"]


def test_a_run_of_another_worker_is_polled(simulate: Make) -> None:
    """A run that only another worker could stream is looked at, ever more rarely, to its end."""
    world = simulate()
    world.gateway.elsewhere = True
    world.write("sleep 100")
    world.run()
    assert world.shown() == ["slept 100"]
    looks = [path for _, path in world.agent.calls if path.endswith("/stream")]
    assert 2 < len(looks) < 15


@pytest.mark.parametrize("piece", [1, 40], ids=["at once", "on the way"])
def test_what_overflowed_is_replaced_at_the_end(simulate: Make, piece: int) -> None:
    """A reader that comes back too late shows nothing wrong in between, and all of it at the end.

    Before that, the text in the chat is always a beginning of the answer.
    """
    pieces: list[str] = []

    def plan(point: str) -> Passage:
        pieces.extend([point] if point.endswith("run piece") else [])
        cut = len(pieces) == piece and point.endswith("run piece")
        return Passage(after=ConnectionResetError()) if cut else Passage()

    world = simulate(gate=PlannedGate(plan))
    world.write("flood 900")
    world.run()
    answer = "".join(flood(900)).strip()
    edits = [call.parameters["text"] for call in world.telegram.calls_of("editMessageText")]
    assert all(answer.startswith(text.removesuffix(" …").strip()) for text in edits)
    assert world.shown() == [answer]
    assert len(pieces) > piece


def test_commands_are_answered_by_the_gateway(simulate: Make) -> None:
    """Models and memory, unless a personal token asks, in which case they are not offered."""
    world = simulate()
    world.gateway.facts = 3
    for text in ("/models", "/memory"):
        world.write(text)
        world.run()
    models, memory = world.shown()
    if world.personal:
        assert models == say("not_offered", "en", command="models")
        assert memory == say("not_offered", "en", command="memory")
    else:
        assert "fake-think" in models
        assert memory == "3 facts remembered."
    assert world.asked() == []
