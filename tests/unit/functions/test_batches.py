"""Batches of the mailbox queue as Lambda hands them over."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.dispatch.handler import handler
from tests.simulation.world import Simulation
from threadline.app import codec
from threadline.backends.outgoing import Passage, PlannedGate
from threadline.core.envelope import Wake
from threadline.core.ids import ConversationKey, MailboxKey
from threadline.core.ports import Delete, Expect


def record(number: int, group: str, *, body: str | None = None, tries: int = 1) -> dict[str, Any]:
    """Make a record of a batch; its mail wakes a conversation nobody has."""
    key = f"telegram/default//{number}/"
    wake = Wake(conversation=ConversationKey(key), mailbox=MailboxKey(group))
    return {
        "messageId": f"m{number}",
        "receiptHandle": f"queue#{number}",
        "body": codec.encode(wake) if body is None else body,
        "attributes": {
            "ApproximateReceiveCount": str(tries),
            "MessageGroupId": group,
            "SentTimestamp": "1",
        },
        "messageAttributes": {},
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:local:0:mailbox.fifo",
        "awsRegion": "local",
    }


@pytest.fixture
def reads(tmp_path: Path) -> Iterator[list[str]]:
    """An installation whose first read of the store fails; the list tells what was read."""
    calls: list[str] = []

    def plan(point: str) -> Passage:
        if point == "store.get":
            calls.append(point)
            if len(calls) == 1:
                return Passage(before=ConnectionRefusedError())
        return Passage()

    world = Simulation(tmp_path / "state", gate=PlannedGate(plan))
    yield calls
    world.close()


def test_a_failure_keeps_its_group_and_no_other(reads: list[str]) -> None:
    """g1:m1 fails: m1 and m3 come again untouched, m2 and m4 of the other group are done."""
    batch = [record(1, "g1"), record(2, "g2"), record(3, "g1"), record(4, "g2")]
    answer = handler({"Records": batch}, None)
    assert [one["itemIdentifier"] for one in answer["batchItemFailures"]] == ["m1", "m3"]
    assert len(reads) == 3


def test_what_cannot_be_read_is_set_aside(tmp_path: Path) -> None:
    """A body no version of ours wrote blocks nobody: it becomes a dead letter at once."""
    world = Simulation(tmp_path / "state")
    answer = handler({"Records": [record(1, "g1", body="{not json")]}, None)
    assert answer["batchItemFailures"] == []
    assert len(world.ports.ports.queues.dead.receive(10, visibility=30)) == 1
    world.close()


def test_a_mail_that_kills_its_handler_is_set_aside(tmp_path: Path) -> None:
    """A third receive whose second ended its process goes to the dead letters unhandled."""
    world = Simulation(tmp_path / "state")
    killed = record(1, "g1", tries=2)
    handler({"Records": [killed]}, None)
    rows = world.ports.ports.store.query("deliveries", "delivery/try-m1", "journal#")
    assert [row.attributes["detail"] for row in rows] == ["begun", "handled"]
    for row in rows[1:]:
        world.ports.ports.store.write([Delete(row.key, Expect.ANY)])
    world.clock.advance(60)
    answer = handler({"Records": [record(1, "g1", tries=3)]}, None)
    assert answer["batchItemFailures"] == []
    assert len(world.ports.ports.queues.dead.receive(10, visibility=30)) == 1
    world.close()
