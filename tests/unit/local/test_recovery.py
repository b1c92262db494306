from dataclasses import replace
from pathlib import Path

import pytest

from tests.unit.local.test_explain import KEY, MAILBOX, PLACE, TURN
from threadline import wiring
from threadline.app import items
from threadline.backends.clock import VirtualClock
from threadline.core.ids import AgentName, BindingName, OwnerId, RunId, ThreadId
from threadline.core.ports import Expect, Outgoing, Put
from threadline.core.records import Conversation, RunRecord, Turn
from threadline.core.settings import ReplyMode
from threadline.core.turn import State
from threadline.local.recovery import take_back

TURN_VALUE = Turn(
    id=TURN, binding=BindingName("b"), agent=AgentName("demo"), owner=OwnerId("o"),
    thread=ThreadId("t"), sender="9", destination=PLACE, reply=ReplyMode.CHAT, waits=(),
    deliveries=("d1",), accepted_at=1.0, limit_at=1.0, run=RunId("r1"),
)  # fmt: skip
RUNNING = Conversation(
    key=KEY, mailbox=MAILBOX, platform="telegram", app="default", workspace="", chat="7",
    topic="", state=State.RUNNING, turn=TURN_VALUE,
)  # fmt: skip
HELD = RunRecord(
    turn=TURN, conversation=KEY, run=RunId("r1"), lease=3, holder="killed", lease_end=9e9,
    cursor="c7", visible="so far",
)  # fmt: skip


def quiet(event: str, **values: str | float | bool) -> None:
    """Log nothing."""


def test_messages_in_flight_come_again_at_once_and_in_order(tmp_path: Path) -> None:
    """What the killed process had received is received first; a delay that runs on is kept."""
    local = wiring.local_ports(tmp_path, VirtualClock())
    queues = local.ports.queues
    queues.mailbox.send([Outgoing(name, group="a", dedup=name) for name in ("a1", "a2")])
    queues.timers.send([Outgoing("now"), Outgoing("later", delay=30)])
    assert [one.body for one in queues.mailbox.receive(1, visibility=60)] == ["a1"]
    assert [one.body for one in queues.timers.receive(10, visibility=60)] == ["now"]
    assert queues.mailbox.receive(1, visibility=60) == ()
    take_back(wiring.world_of(local.ports, quiet))
    mail = queues.mailbox.receive(10, visibility=60)
    assert [(one.body, one.received) for one in mail] == [("a1", 2), ("a2", 1)]
    assert [one.body for one in queues.timers.receive(10, visibility=60)] == ["now"]
    local.close()


@pytest.mark.parametrize(("ended", "holder"), [(False, ""), (True, "killed")])
def test_the_lease_of_a_killed_process_is_given_back(
    tmp_path: Path, *, ended: bool, holder: str
) -> None:
    """A run under way may be taken up at once, from where its follower came; an ended one rests."""
    local = wiring.local_ports(tmp_path, VirtualClock())
    store = local.ports.store
    now = local.ports.clock.now()
    record = replace(HELD, ended=ended)
    for item in (items.conversation_item(RUNNING, now + 60, now), items.run_item(record, now)):
        store.write([Put(item, Expect.ANY)])
    take_back(wiring.world_of(local.ports, quiet))
    found = items.read(RunRecord, store.get([items.run(KEY, TURN)])[0])
    assert found is not None
    assert (found.holder, found.lease, found.cursor) == (holder, 3, "c7")
    local.close()
