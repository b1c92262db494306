"""Who takes over a run shows its text as the one before would have."""

from collections.abc import Callable

import pytest

from tests.simulation.agent import Script
from tests.simulation.world import Simulation

type Make = Callable[..., Simulation]


@pytest.fixture
def long(simulate: Make) -> Simulation:
    """A world in which an agent says one thing, does something, and says another."""
    world = simulate()
    world.agent.scripts["look"] = Script(
        "Here is all that I found in the end.", 160.0, before="Let me look it up."
    )
    world.agent.scripts["lose"] = Script("one two three four", 80.0, lost=1)
    return world


def handed_over(world: Simulation) -> None:
    """Have the run followed by somebody else."""
    world.watch.hand_over()
    world.run(2)
    world.watch.leaving = False


def seen(world: Simulation, seconds: float) -> set[str]:
    """Give all that the post said while time went by."""
    texts = set()
    for _ in range(int(seconds)):
        world.run(1)
        texts.update(world.shown())
    return texts


@pytest.mark.parametrize("age", [45, 75], ids=["in the first message", "after its last word"])
def test_the_next_message_is_not_put_to_the_one_before(long: Simulation, age: int) -> None:
    """Whether two additions are of one message is known to whoever takes over between them."""
    long.write("look")
    long.run(age)
    handed_over(long)
    texts = seen(long, 200 - age)
    assert any(text.startswith("Let me look it up.") for text in texts) or age > 70
    assert any(text.startswith("Here is all") for text in texts)
    assert not [text for text in texts if "up.Here" in text.replace(" ", "")]
    assert long.shown() == ["Here is all that I found in the end."]


def test_a_text_with_a_hole_stands_still_for_whoever_takes_over(long: Simulation) -> None:
    """What was lost before is missing for everybody: the text waits for the whole answer."""
    long.write("lose")
    long.run(35)
    handed_over(long)
    texts = seen(long, 60)
    assert any("four" in text for text in texts)
    assert not [text for text in texts if "four" in text and "two" not in text]
    assert long.shown() == ["one two three four"]
