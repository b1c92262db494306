"""What was given up after many refusals: it is told, kept, and has its effect once put back."""

from collections.abc import Iterator, Sequence

from tests.simulation.letters import letters_of
from tests.simulation.world import Simulation
from threadline.app.audit import Hand
from threadline.app.items import read
from threadline.app.items import seen as seen_key
from threadline.app.plan import read_mail
from threadline.app.redrive import Letter
from threadline.app.telling import identity_of
from threadline.core.envelope import Arrived
from threadline.core.message import Message
from threadline.core.reasons import Reason
from threadline.core.records import Fate, Seen
from threadline.core.texts import say

OPERATOR = Hand("olga", "1")
NOT_TAKEN = say("not_taken", "en")


def put_back(world: Simulation) -> tuple[Letter, ...]:
    """Put every dead letter back, as an operator would, and give what they were."""
    letters = letters_of(world).letters()
    world.clock.advance(1)
    letters_of(world).put_back("", OPERATOR)
    return letters


def without_effect(world: Simulation, letters: Sequence[Letter]) -> tuple[Letter, ...]:
    """Leave the messages that had no effect: some became a letter, and noting that failed.

    Those are tried once more. Mail of our own has no sender, and the sweep does what it was for.
    """
    return tuple(one for one in letters if one.delivery and not _had_its_effect(world, one))


def _had_its_effect(world: Simulation, letter: Letter) -> bool:
    ports = world.ports.ports
    message = _message(world, letter)
    seen = read(Seen, ports.store.get([seen_key(identity_of(message))])[0])
    return seen is not None and seen.fate is not Fate.DEAD


def _message(world: Simulation, letter: Letter) -> Message:
    mail = read_mail(world.ports.ports.blobs, letter.received.body)
    assert isinstance(mail, Arrived)
    return mail.message


def _is_told(world: Simulation, message: Message) -> bool:
    """Tell whether its sender may be told: in a group not who may not talk, unless he waits."""
    may_talk = any(binding.allow.everyone for binding in world.settings.bindings)
    return may_talk or message.private or message.awaited


def kept_aside(world: Simulation) -> set[str]:
    """Name the deliveries that the queue did not take, so that later ones came before them."""
    return {line["delivery"] for line in world.lines if line.get("reason") == Reason.KEPT_ASIDE}


def untold(
    world: Simulation, letters: Sequence[Letter], chats: Sequence[int], unsure: int | None = None
) -> Iterator[str]:
    """Every message among the dead letters is told of to who may be told, and in the log.

    `unsure`, where there are more faults: posts that may or may not stand and are shown to the
    operator. Then the step's line is enough, for the write that goes before the other may fail.
    """
    told = sum(NOT_TAKEN in text for chat in chats for text in world.shown(chat))
    messages = [one for one in letters if one.delivery and _is_told(world, _message(world, one))]
    if not told <= len(messages) <= told + (unsure or 0):
        yield f"untold: {len(messages)} messages were given up, and {told} were told"
    lines = sum(line["event"] == "dead_letter" for line in world.lines)
    if unsure is not None:
        lines = max(lines, sum(line.get("step") == Reason.POISON for line in world.lines))
    if lines < len(letters):
        yield f"untold: {len(letters)} dead letters, and the log has {lines}"
