"""What was given up after many refusals: it is told, kept, and has its effect once put back."""

from collections.abc import Iterator, Sequence

from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation
from threadline.app.audit import Hand
from threadline.app.redrive import Letter
from threadline.core.reasons import Reason
from threadline.core.texts import say

OPERATOR = Hand("olga", "1")
NOT_TAKEN = say("not_taken", "en")


def put_back(world: Simulation) -> tuple[Letter, ...]:
    """Put every dead letter back, as an operator would, and give what they were."""
    letters = letters_of(world).letters()
    world.clock.advance(1)
    letters_of(world).put_back("", OPERATOR)
    return letters


def kept_aside(world: Simulation) -> bool:
    """Tell whether the queue did not take a message, so that later ones came before it."""
    return any(line.get("reason") == Reason.KEPT_ASIDE for line in world.lines)


def untold(world: Simulation, letters: Sequence[Letter], chats: Sequence[int]) -> Iterator[str]:
    """Every message among the dead letters is told of where it was written, and in the log."""
    told = sum(NOT_TAKEN in text for chat in chats for text in world.shown(chat))
    messages = [letter for letter in letters if letter.delivery]
    if told != len(messages):
        yield f"untold: {len(messages)} messages were given up, and {told} were told"
    lines = sum(line["event"] == "dead_letter" for line in world.lines)
    if lines < len(letters):
        yield f"untold: {len(letters)} dead letters, and the log has {lines}"
