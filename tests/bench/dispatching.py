"""What dispatch costs for a message, everything warm, on the embedded store."""

from collections.abc import Iterator

from tests.bench.children import OURS, PEERS, Child, in_turn
from tests.bench.gates import Row
from tests.stubs.immediate import immediate

ROUNDS = 5
MESSAGES = 200
FEW, MANY = 50, 5000


def dispatching() -> Iterator[Row]:
    """A message and the end of its run, with few and with many conversations known.

    The peer makes two calls on a thread that is there.
    """
    with immediate() as agent:
        ours = Child(OURS, "ours/dispatch.py", (agent.url, str(FEW), str(MANY), str(MESSAGES)))
        peer = Child(PEERS, "peers/create.py", (agent.url, str(MESSAGES)))
        mine, theirs = in_turn(ROUNDS, ours.run, peer.run)
    less, more = mine["few"], mine["many"]
    yield Row(
        "CPU of a message, to two calls of langgraph_sdk", less, theirs["message"], "ms", 1.0, 2.3
    )
    yield Row(f"CPU of a message, {MANY} conversations known, to {FEW}", more, less, "ms", 1.1)
