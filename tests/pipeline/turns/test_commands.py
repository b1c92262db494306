"""Commands answer at once, whatever the conversation is doing."""

from collections.abc import Callable

import pytest

from tests.simulation.world import Simulation, settings_with
from threadline.core.settings import Allow
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def test_help_answers_while_a_run_goes_on(simulate: Make) -> None:
    """`/help` is answered before the long answer ends, and starts no run."""
    world = simulate()
    world.write("sleep 60")
    world.run(5)
    world.write("/HELP now")
    world.run(5)
    assert say("help", "en") in world.shown()
    assert len(world.agent.runs()) == 1


def test_a_redelivered_command_is_carried_out_once(simulate: Make) -> None:
    """The same `/status` again, minutes and hours later, answers nothing more."""
    world = simulate()
    update = world.write("/status")
    for wait in (320, 3600, 7 * 3600):
        world.run(wait)
        world.clock.advance(wait)
        world.post(update)
    world.run()
    assert len(world.shown()) == 1


def test_stop_ends_a_running_answer(simulate: Make) -> None:
    """`/stop` cancels at once: the answer stays as far as it came and says that it was stopped."""
    world = simulate()
    world.write("sleep 500")
    world.run(5)
    world.write("/stop")
    world.run(60)
    assert world.shown()[0].endswith(say("stopped", "en"))
    assert world.agent.runs()[0].cancelled_at is not None
    world.write("hello")
    world.run()
    assert world.shown()[-1] == "echo: hello"


def test_stop_with_nothing_running_says_so(simulate: Make) -> None:
    """`/stop` in an idle conversation is answered, not ignored."""
    world = simulate()
    world.write("/stop")
    world.run()
    assert world.shown() == [say("nothing_to_stop", "en")]


def test_stop_while_the_agent_is_down(simulate: Make) -> None:
    """A turn that cannot start is dropped by `/stop`, and the next message is a new turn."""
    world = simulate()
    world.agent.down = True
    world.write("hello")
    world.run(20)
    world.write("/stop")
    world.run(20)
    world.agent.down = False
    world.write("again")
    world.run()
    assert [run.human["content"] for run in world.agent.runs()] == ["again"]
    assert say("stopped", "en") in world.shown()


def test_new_drops_the_backlog_and_starts_a_new_thread(simulate: Make) -> None:
    """`/new` stops, says how many messages it dropped, and the next turn has a new thread."""
    world = simulate()
    world.write("sleep 500")
    world.run(5)
    world.write("one")
    world.write("two")
    world.run(2)
    world.write("/new")
    world.run(60)
    world.write("three")
    world.run()
    assert say("new_dropped", "en", count=2) in world.shown()
    first, second = world.agent.runs()
    assert first.cancelled_at is not None
    assert first.thread != second.thread
    assert world.shown()[-1] == "echo: three"


@pytest.mark.parametrize("name", ["models", "memory", "goal"])
def test_what_the_agent_does_not_offer_is_said(simulate: Make, name: str) -> None:
    """A command of another agent's is refused by name, without a call."""
    world = simulate()
    world.write(f"/{name}")
    world.run()
    assert world.shown() == [say("not_offered", "en", command=name)]
    assert world.agent.calls == []


@pytest.mark.parametrize("text", ["/mnt/user-data/x.pdf", "/data-analysis this", "//help"])
def test_other_slashes_are_chat(simulate: Make, text: str) -> None:
    """Paths and skills that begin with a slash reach the agent."""
    world = simulate()
    world.write(text)
    world.run()
    assert len(world.agent.runs()) == 1


def test_nobody_talks_until_let_in(simulate: Make) -> None:
    """A stranger is told once and runs nothing; `/start CODE` lets its sender in, once."""
    from threadline.app import admission

    world = simulate(settings=settings_with({"allow": Allow(admitted=True)}))
    code, change = admission.make_code("telegram", "default", bytes(16), world.clock.now())
    world.ports.ports.store.write([change])
    world.write("hello")
    world.write("hello?")
    world.run()
    assert world.shown() == [say("not_allowed", "en")]
    world.write(f"/start {code}")
    world.run()
    world.write("hello!")
    world.run()
    assert world.shown()[1:] == [say("welcome", "en"), "echo: hello!"]
    assert [run.human["content"] for run in world.agent.runs()] == ["hello!"]


def test_a_used_or_wrong_code_lets_nobody_in(simulate: Make) -> None:
    """A second person with the same code, or with a made-up one, stays outside."""
    from threadline.app import admission

    world = simulate(settings=settings_with({"allow": Allow(admitted=True)}))
    code, change = admission.make_code("telegram", "default", bytes(16), world.clock.now())
    world.ports.ports.store.write([change])
    world.telegram.add_chat(78)
    world.write(f"/start {code}")
    world.write(f"/start {code}", chat=78)
    world.write("/start nonsense", chat=78)
    world.write("let me in", chat=78)
    world.run()
    assert world.shown(78) == [say("code_invalid", "en"), say("not_allowed", "en")]
    assert world.agent.runs() == []
