"""The dead letters of a simulated installation."""

from tests.simulation.world import Simulation
from threadline.app.redrive import DeadLetters


def letters_of(world: Simulation) -> DeadLetters:
    """Give the dead letters of an installation."""
    ports = world.ports.ports
    return DeadLetters(
        ports.queues.dead, ports.queues.mailbox, ports.store, ports.blobs, ports.clock
    )
