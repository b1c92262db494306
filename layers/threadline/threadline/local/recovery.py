"""What a killed `serve` held is free again as soon as the next one starts.

On AWS nobody can know that a holder is dead, so visibility and leases have to end by themselves.
Here the lock on the state folder says so.
"""

import math
from typing import Final

from threadline.app import items, lease
from threadline.app.lease import Lease
from threadline.app.world import World
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.errors import LeaseLost
from threadline.core.records import Conversation, RunRecord

MOST: Final = 1000


def take_back(world: World) -> None:
    """Give back messages in flight and leases on runs. Only under the lock. Raises StoreError."""
    queues = world.queues
    for queue in (queues.mailbox, queues.runs, queues.timers, queues.outbox):
        if isinstance(queue, SqliteQueue):
            queue.release()
    for item in world.store.due(items.CONVERSATION_DUE, math.inf, MOST):
        conversation = items.read(Conversation, item)
        if conversation and conversation.turn and conversation.turn.run:
            _give_back(world, conversation)


def _give_back(world: World, conversation: Conversation) -> None:
    assert conversation.turn is not None
    (item,) = world.store.get([items.run(conversation.key, conversation.turn.id)])
    record = items.read(RunRecord, item)
    if item and record and record.holder and not record.ended:
        try:
            lease.given_back(world, Lease(record, item.version), record)
        except LeaseLost:
            return
