"""Dispatch messages of known conversations on the embedded store; tell what one costs in CPU.

Words: the agent's address, how many conversations are known where they are few and where they are
many, how many messages.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import batched
from pathlib import Path

from functions.dispatch.handler import handler as dispatch
from functions.ingest.handler import handler as ingest
from tests.crowds import crowd_settings
from threadline import wiring
from threadline.app import codec, items, plan, settings_items
from threadline.app.world import World
from threadline.core import keys
from threadline.core.envelope import FollowRun, RunEnded
from threadline.core.ids import OwnerId
from threadline.core.ports import Expect, Put, Received
from threadline.core.records import Conversation
from threadline.local.log import event_line, start_logging
from threadline.local.sqs_event import Batch, failed_ids, sqs_event

SECRET = "a-webhook-secret-of-nobody"
FIRST_CHAT = 1000
VISIBILITY = 60.0
WARM = 50


@contextmanager
def opened(folder: Path, agent: str) -> Iterator[World]:
    """Open the folder as `serve` does, for as long as the block lasts."""
    local = wiring.local_ports(folder)
    settings_items.store_settings(local.ports.store, crowd_settings(agent), time.time())
    bot = {"bot_token": "7000000001:token-of-nobody", "webhook_secret": SECRET}
    local.ports.secrets.put("telegram/default", bot)
    yield wiring.world_of(local.ports, event_line)
    local.close()


def arrived(world: World, chat: int) -> Received:
    """Let a message arrive in its mailbox, and take it from there."""
    number = time.time_ns() // 1000
    person = {"id": chat, "is_bot": False, "first_name": "A"}
    message = {
        "message_id": number, "date": int(time.time()), "chat": {"id": chat, "type": "private"},
        "from": person, "text": "What became of the order that I placed last week?",
    }  # fmt: skip
    event = {
        "pathParameters": {"platform": "telegram"},
        "headers": {"x-telegram-bot-api-secret-token": SECRET},
        "body": json.dumps({"update_id": number, "message": message}),
    }
    assert ingest(event, None)["statusCode"] == 200
    return taken(world)


def taken(world: World) -> Received:
    """Take the one message there is in the mailbox."""
    return world.queues.mailbox.receive(1, visibility=VISIBILITY)[0]


def ended(world: World) -> Received:
    """Be the follower of the one run there is, and take from the mailbox that it ended."""
    hinted = world.queues.runs.receive(1, visibility=VISIBILITY)[0]
    hint = codec.decode(hinted.body)
    assert isinstance(hint, FollowRun)
    world.queues.runs.delete([hinted.receipt])
    mail = RunEnded(
        conversation=hint.conversation, mailbox=hint.mailbox, turn=hint.turn.id, outcome="success"
    )
    world.queues.mailbox.send([plan.mailbox_message(world, mail)])
    return taken(world)


def dispatched(world: World, received: Received) -> float:
    """Dispatch a mail; give the CPU seconds that all threads spent on it."""
    event = sqs_event(Batch("mailbox", fifo=True, messages=(received,)))
    begun = time.process_time()
    answer = dispatch(event, None)
    spent = time.process_time() - begun
    assert not failed_ids(answer, [received])
    world.queues.mailbox.delete([received.receipt])
    return spent


def whole(world: World, chat: int) -> float:
    """Dispatch a message and the end of its run."""
    wiring.install(world)
    return dispatched(world, arrived(world, chat)) + dispatched(world, ended(world))


def make_known(world: World, known: int) -> None:
    """Let so many conversations be known that have been answered, each as the first one was."""
    whole(world, FIRST_CHAT)
    first = conversation(world, FIRST_CHAT)
    chats, now = range(FIRST_CHAT + 1, FIRST_CHAT + known), world.clock.now()
    for several in batched(chats, 100, strict=False):
        made = [items.conversation_item(in_chat(first, chat), None, now) for chat in several]
        world.store.write([Put(one, Expect.ABSENT) for one in made])
    whole(world, FIRST_CHAT + 1)
    assert conversation(world, FIRST_CHAT + 1).epoch == first.epoch  # known, and so it went on


def conversation(world: World, chat: int) -> Conversation:
    """Read the conversation of a chat."""
    key = items.conversation(keys.conversation_key("telegram", "default", "", str(chat), ""))
    found = items.read(Conversation, world.store.get([key])[0])
    assert found is not None
    return found


def in_chat(first: Conversation, chat: int) -> Conversation:
    """Give the same conversation as another person has it in another chat."""
    name = str(chat)
    return replace(
        first, key=keys.conversation_key("telegram", "default", "", name, ""), chat=name,
        mailbox=keys.mailbox_key("telegram", "default", name), person=name,
        owner=OwnerId(first.owner.replace(first.chat, name)),
    )  # fmt: skip


def main(agent: str, folder: Path, few: int, many: int, messages: int) -> None:
    """Measure by turns, a message with few conversations known and one with many."""
    start_logging(folder / "log", terminal=False)
    with opened(folder / "few", agent) as small, opened(folder / "many", agent) as large:
        spent: dict[str, float] = {"few": 0.0, "many": 0.0}
        for world, known in ((small, few), (large, many)):
            make_known(world, known)
            for number in range(WARM):
                whole(world, FIRST_CHAT + number)
        for number in range(messages):
            spread = number * 7919
            spent["few"] += whole(small, FIRST_CHAT + spread % few)
            spent["many"] += whole(large, FIRST_CHAT + spread % many)
    print(json.dumps({name: one / messages * 1e3 for name, one in spent.items()}), flush=True)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as at:
        main(sys.argv[1], Path(at), int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
