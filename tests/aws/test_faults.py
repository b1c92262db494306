from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import boto3
import pytest

from tests.aws import flaky, ministack
from tests.aws.emulated import Emulated, Opened, on_ministack
from tests.aws.tables import TABLES
from threadline.backends.aws.dynamodb import DynamoItems
from threadline.backends.aws.patience import Patience
from threadline.backends.aws.sqs import SqsQueue
from threadline.backends.aws.transaction import Refusal, Stamp, settled
from threadline.backends.clock import VirtualClock
from threadline.core.errors import Conflict, StoreUnavailable
from threadline.core.ports import Change, Check, Delete, Expect, Item, Key, Outgoing, Put

pytestmark = pytest.mark.aws

HERE = Key("conversations", "p", "here")
THERE = Key("outbox", "p", "there")
SETTLES: dict[str, flaky.Fault] = {
    "lost": flaky.LOST,
    "throttled": flaky.error(400, "ThrottlingException"),
    "over capacity": flaky.error(400, "ProvisionedThroughputExceededException"),
    "failed inside": flaky.error(500, "InternalServerError"),
}


@dataclass
class Shaky:
    """The store and a queue behind the flaky proxy, and the same without it."""

    store: DynamoItems
    queue: SqsQueue
    proxy: flaky.Flaky
    sound: Emulated


@pytest.fixture
def shaky(tmp_path: Path) -> Iterator[Shaky]:
    """Give the backends behind the flaky proxy."""
    emulator = ministack.running()
    keys = emulator.access_key, emulator.secret_key
    with on_ministack(tmp_path) as sound, flaky.before(emulator.endpoint) as proxy:
        assert sound.store.get([HERE]) == (None,)
        session = boto3.Session(*keys, region_name=ministack.REGION)
        patience = Patience(VirtualClock(), Random(f"{sound.name} shaky"))
        with closing(Opened(session, proxy.url)) as clients:
            tables = {table: f"{sound.name}-{table}" for table in TABLES}
            yield Shaky(
                DynamoItems(clients.dynamodb, tables, patience),
                SqsQueue(clients.sqs, sound.url_of("mailbox.fifo"), patience),
                proxy,
                sound,
            )


@pytest.mark.parametrize("fault", SETTLES.values(), ids=SETTLES.keys())
@pytest.mark.parametrize(
    "changes",
    [
        [Put(Item(HERE, {"n": 2}), 1)],
        [Put(Item(HERE, {"n": 2}), Expect.ANY)],
        [Put(Item(HERE, {"n": 2}), 1), Put(Item(THERE, {"n": 2}), Expect.ABSENT)],
        [Put(Item(HERE, {"n": 2}), 1), Check(THERE, Expect.ABSENT)],
        [Put(Item(HERE, {"n": 2}), Expect.ANY), Delete(THERE, Expect.ANY)],
    ],
    ids=["one", "one of any version", "two", "with a check", "with a deletion"],
)
def test_a_write_happens_once(shaky: Shaky, fault: flaky.Fault, changes: list[Change]) -> None:
    """A write whose answers are lost, or that is put off, is done once and reported done."""
    shaky.sound.store.write([Put(Item(HERE, {"n": 1}), Expect.ABSENT)])
    shaky.proxy.faults = [fault, fault]
    shaky.store.write(changes)
    found = shaky.sound.store.get([HERE])[0]
    assert found is not None
    assert (found.attributes["n"], found.version) == (2, 2)
    assert not shaky.proxy.faults


def test_a_deletion_is_done_once(shaky: Shaky) -> None:
    """A lone deletion whose answer is lost is found done."""
    shaky.sound.store.write([Put(Item(HERE, {}), Expect.ABSENT)])
    shaky.proxy.faults = [flaky.LOST]
    shaky.store.write([Delete(HERE, 1)])
    assert shaky.sound.store.get([HERE]) == (None,)


def test_a_conflict_in_flight_is_waited_out(shaky: Shaky) -> None:
    """A transaction cancelled because of another one, or of load, is tried again."""
    shaky.proxy.faults = [
        flaky.cancelled("None", "TransactionConflict"),
        flaky.cancelled("ThrottlingError", "None"),
    ]
    shaky.store.write([Put(Item(HERE, {}), Expect.ABSENT), Put(Item(THERE, {}), Expect.ABSENT)])
    assert None not in shaky.sound.store.get([HERE, THERE])


def test_a_conflict_is_told_apart_from_load(shaky: Shaky) -> None:
    """A failed expectation beside a conflict in flight is reported at once, naming its item."""
    shaky.proxy.faults = [flaky.cancelled("ConditionalCheckFailed", "TransactionConflict")]
    with pytest.raises(Conflict) as caught:
        shaky.store.write([Put(Item(HERE, {}), Expect.ABSENT), Put(Item(THERE, {}), 4)])
    assert caught.value.failed == ("here",)
    assert shaky.proxy.calls == ["TransactWriteItems"]


def test_patience_ends(shaky: Shaky) -> None:
    """A store that never answers is an outage, named by AWS's code, after a few tries."""
    shaky.proxy.faults = [flaky.error(400, "ThrottlingException")] * 50
    with pytest.raises(StoreUnavailable, match="write to conversations: ThrottlingException"):
        shaky.store.write([Put(Item(HERE, {"secret": "of the person"}), Expect.ABSENT)])
    assert len(shaky.proxy.calls) < 10


def test_a_refusal_is_not_repeated(shaky: Shaky) -> None:
    """What AWS refuses for good is an outage at once."""
    shaky.proxy.faults = [flaky.error(400, "AccessDeniedException")]
    with pytest.raises(StoreUnavailable, match="GetItem conversations: AccessDeniedException"):
        shaky.store.get([HERE])
    assert shaky.proxy.calls == ["GetItem"]


def test_what_is_left_of_a_read_is_read(shaky: Shaky) -> None:
    """A read that gives only part of what was asked for goes on until it is whole."""
    shaky.sound.store.write([Put(Item(HERE, {"n": 1}), Expect.ABSENT)])
    shaky.proxy.faults = [flaky.unprocessed, flaky.unprocessed]
    found = shaky.store.get([THERE, HERE])
    assert [item and item.attributes["n"] for item in found] == [None, 1]


def test_messages_not_taken_are_sent_again(shaky: Shaky) -> None:
    """Messages that SQS failed to take, or whose taking was not confirmed, arrive once."""
    shaky.proxy.faults = [flaky.none_taken, flaky.LOST, flaky.error(500, "InternalFailure")]
    shaky.queue.send([Outgoing(str(n), group="g", dedup=str(n)) for n in range(3)])
    got = shaky.sound.fifo.receive(10, visibility=30)
    assert [message.body for message in got] == ["0", "1", "2"]
    assert [message.received for message in got] == [1, 1, 1]


def test_a_queue_that_takes_nothing_is_an_outage(shaky: Shaky) -> None:
    """Sending gives up with the code of what went wrong, and without the message."""
    shaky.proxy.faults = [flaky.none_taken] * 50
    with pytest.raises(StoreUnavailable, match="InternalError") as caught:
        shaky.queue.send([Outgoing("the message", group="g", dedup="d")])
    assert "the message" not in str(caught.value)


STAMP = Stamp("mine", 0.0)
PUT = Put(Item(HERE, {}), 4)


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (Refusal(PUT, 5, "mine"), "refused"),
        (Refusal(PUT, 5, "theirs"), "refused"),
        (Refusal(PUT, 6, "theirs"), "unknown"),
        (Refusal(PUT, None, ""), "unknown"),
        (Refusal(Put(Item(HERE, {}), Expect.ABSENT), 1, "theirs"), "refused"),
        (Refusal(Put(Item(HERE, {}), Expect.ABSENT), 3, "theirs"), "unknown"),
        (Refusal(Delete(HERE, 4), None, ""), "done"),
        (Refusal(Delete(HERE, 4), 5, "theirs"), "refused"),
        (Refusal(Delete(HERE, 4), 1, "theirs"), "unknown"),
        (Refusal(Check(HERE, 4), 9, "theirs"), "refused"),
    ],
)
def test_after_a_lost_answer_a_refusal_is_judged(refusal: Refusal, expected: str) -> None:
    """What was found tells whether the lost attempt had taken effect, or that nobody can tell."""
    if expected == "unknown":
        with pytest.raises(StoreUnavailable):
            settled(refusal, STAMP)
    else:
        assert settled(refusal, STAMP) == (() if expected == "done" else (refusal,))
