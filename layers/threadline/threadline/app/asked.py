"""Whether a message answers what the agent asked: by the one who was asked, under that question."""

from threadline.app import codec, items, ledger
from threadline.app.orders import order_of
from threadline.app.scene import Scene
from threadline.app.speak import destination_of
from threadline.core.message import Message, MessageKind
from threadline.core.records import Part, PartState, Waiting


def answers(scene: Scene, waiting: Waiting) -> bool:
    """Tell whether a message answers the question that waits."""
    question, message = scene.conversation.question, waiting.message
    if question is None or order_of(scene.world, message) is not None:
        return False
    if (waiting.owner, message.sender.id) != (question.owner, question.sender):
        return False
    if message.kind is MessageKind.PRESS:
        return stands_under(scene, message, question.turn)
    return waiting.accepted_at >= question.asked_at


def stands_under(scene: Scene, press: Message, turn: str) -> bool:
    """Tell whether a pressed button stands under a post of this turn's, as far as that is known.

    A post that is on its way, or whose answer was lost, may be the one.
    """
    place = items.destination_of(destination_of(press))
    stored = scene.world.store.query("outbox", place, items.settled_prefix(turn))
    parts = [codec.record(Part, item.attributes) for item in stored]
    if any(part.receipt is not None and part.receipt.id == press.anchor for part in parts):
        return True
    if any(part.state is PartState.UNKNOWN for part in parts):
        return True
    return any(entry.part.turn == turn for entry in ledger.live(scene.world, place).entries)
