"""What the configuration withdraws while messages wait: none of them runs, each has its reason."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.simulation.world import CHAT, Simulation, settings_with
from threadline.app.configure.values import MAX_BACKLOG
from threadline.core.ids import BindingName
from threadline.core.settings import Allow

type Make = Callable[..., Simulation]


def change(world: Simulation, **binding: Any) -> None:
    """Change the binding, as a new configuration does."""
    old = world.settings
    bindings = tuple(replace(one, **binding) for one in old.bindings)
    world.settings = replace(old, version=f"{old.version}+", bindings=bindings)


def one_waits(simulate: Make, **binding: Any) -> Simulation:
    """Make an installation with a message that waits for the run before it."""
    world = simulate(settings=settings_with(binding))
    world.write("sleep 10")
    world.run(3)
    world.write("second")
    world.run(3)
    return world


def test_a_person_shut_out_meanwhile_gets_no_run(simulate: Make) -> None:
    """Who was taken off the list while waiting starts no further run."""
    world = one_waits(simulate, allow=Allow(senders=frozenset({str(CHAT)})))
    change(world, allow=Allow())
    world.run(300)
    assert world.asked() == ["sleep 10"]
    assert "not_allowed" in world.steps()
    assert world.quiet()


def test_a_paused_binding_starts_nothing_that_waited(simulate: Make) -> None:
    """A binding that is switched off starts no run, not even for its backlog."""
    world = one_waits(simulate)
    change(world, paused=True)
    world.run(300)
    assert world.asked() == ["sleep 10"]
    assert "paused" in world.steps()
    assert world.quiet()


def test_a_lost_binding_drops_the_longest_backlog(simulate: Make) -> None:
    """A backlog whose binding is gone is dropped with reasons, and the chat goes on."""
    world = simulate(settings=settings_with({"backlog": MAX_BACKLOG}))
    world.write("sleep 60")
    world.run(2)
    for number in range(MAX_BACKLOG):
        world.write(f"message {number}")
    world.run(20)
    change(world, name=BindingName("other"))
    world.run(600)
    assert world.steps().count("no_binding") == MAX_BACKLOG
    world.write("next")
    world.run(600)
    assert world.asked() == ["sleep 60", "next"]
    assert world.shown()[-1] == "echo: next"
