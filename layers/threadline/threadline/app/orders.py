"""Commands as messages: which one a message is, and whether it has a turn like a message."""

from threadline.app import choose
from threadline.app.world import World
from threadline.core.agent import Obeys
from threadline.core.command import IN_TURN, Command, recognise
from threadline.core.message import Message, MessageKind
from threadline.core.settings import Settings


def command_of(world: World, message: Message) -> Command | None:
    """Read a command; where a binding had to be mentioned to hear it, the mention is no part.

    What stands on a button is the agent's word, never a command of the person's.
    """
    if message.kind is MessageKind.PRESS:
        return None
    mentioned = message.addressed or choose.fans_out(world, message)
    return recognise(message.text, addressed=mentioned)


def order_of(world: World, message: Message) -> Command | None:
    """Read a command that waits for its turn, None for any other and for what is none."""
    command = command_of(world, message)
    return command if command is not None and command.name in IN_TURN else None


def is_offered(world: World, settings: Settings, agent: str, command: Command) -> bool:
    """Tell whether an agent takes a command that waits for its turn."""
    known = settings.agents.get(agent)
    codec = world.agent(known.dialect) if known else None
    return isinstance(codec, Obeys) and str(command.name) in codec.traits.commands
