"""How often people are answered, and codes that let them in."""

from collections.abc import Callable

from tests.simulation.world import Simulation, settings_with
from threadline.app import admission
from threadline.core.settings import Allow
from threadline.core.texts import say

type Make = Callable[..., Simulation]


def by_invitation(simulate: Make) -> Simulation:
    """Make an installation that answers those who were let in."""
    return simulate(settings=settings_with({"allow": Allow(admitted=True)}))


def test_a_code_sent_once_is_welcomed_once(simulate: Make) -> None:
    """A delivery that comes again, minutes later, does not welcome its sender again."""
    world = by_invitation(simulate)
    code, row = admission.make_code("telegram", "default", bytes(16), world.clock.now())
    world.ports.ports.store.write([row])
    sent = world.write(f"/start {code}")
    world.run(400)
    world.clock.advance(400)
    world.insist(sent)
    world.run(400)
    assert world.shown() == [say("welcome", "en")]


def test_a_stranger_who_guesses_codes_is_hardly_answered(simulate: Make) -> None:
    """A stranger cannot make the bot write as often as they like."""
    world = by_invitation(simulate)
    for number in range(30):
        world.write(f"/start guess{number}")
    world.run(400)
    assert 1 <= len(world.shown()) <= 3
    assert world.asked() == []
