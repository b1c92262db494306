from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.unit.backends.embedded import item_store, key, mail, mailbox, numbered, put
from threadline.backends.clock import VirtualClock
from threadline.backends.files import FileBlobs, FileSecrets
from threadline.backends.outgoing import (
    CountingGate,
    Gate,
    GatedBlobs,
    GatedQueue,
    GatedSecrets,
    GatedStore,
    OpenGate,
    Passage,
    PlannedGate,
)
from threadline.backends.sqlite.database import Database
from threadline.core.errors import Conflict, StoreUnavailable
from threadline.core.ports import Blobs, Delete, ItemStore, Queue, Secrets


class Killed(BaseException):
    """The end of a worker."""


@dataclass(frozen=True)
class Ports:
    """All ports, by themselves or behind a gate."""

    store: ItemStore
    queue: Queue
    blobs: Blobs
    secrets: Secrets

    def behind(self, gate: Gate) -> "Ports":
        """Give the same ports behind a gate."""
        return Ports(
            GatedStore(self.store, gate, numbered("gated")),
            GatedQueue(self.queue, "mailbox", gate),
            GatedBlobs(self.blobs, gate),
            GatedSecrets(self.secrets, gate),
        )


@pytest.fixture
def ports(database: Database, clock: VirtualClock, tmp_path: Path) -> Ports:
    """Give the embedded ports."""
    return Ports(
        item_store(database),
        mailbox(database),
        FileBlobs(tmp_path / "blobs"),
        FileSecrets(tmp_path / "secrets.json", clock),
    )


@dataclass(frozen=True)
class Effect:
    """A call and how to see that it took effect."""

    call: Callable[[Ports], object]
    seen: Callable[[Ports], bool]


EFFECTS = {
    "store.write": Effect(
        lambda ports: ports.store.write([put("a", n=1)]),
        lambda ports: ports.store.get([key("a")]) != (None,),
    ),
    "queue.mailbox.send": Effect(
        lambda ports: ports.queue.send([mail("1")]),
        lambda ports: ports.queue.receive(1, visibility=0) != (),
    ),
    "blobs.put": Effect(
        lambda ports: ports.blobs.put("a", b"1"), lambda ports: ports.blobs.get("a") == b"1"
    ),
    "secrets.put": Effect(
        lambda ports: ports.secrets.put("a", {"b": "c"}),
        lambda ports: ports.secrets.entries() == ("a",),
    ),
}

FAULTS = {
    "refused": (Passage(before=ConnectionRefusedError()), StoreUnavailable, 0),
    "timeout before": (Passage(before=TimeoutError()), StoreUnavailable, 0),
    "timeout after": (Passage(after=TimeoutError()), StoreUnavailable, 1),
    "reset after": (Passage(after=ConnectionResetError()), StoreUnavailable, 1),
    "own error": (Passage(after=Conflict("of the test")), Conflict, 1),
    "killed before": (Passage(before=Killed()), Killed, 0),
    "killed after": (Passage(after=Killed()), Killed, 1),
}


@pytest.mark.parametrize("point", EFFECTS)
@pytest.mark.parametrize(("passage", "error", "effects"), FAULTS.values(), ids=FAULTS)
def test_a_call_fails_where_the_plan_says(
    ports: Ports, point: str, passage: Passage, error: type[BaseException], effects: int
) -> None:
    """A planned fault comes out as its port's error, before or after the call took effect."""
    gate = PlannedGate(lambda passed: passage if passed == point else Passage())
    with pytest.raises(error):
        EFFECTS[point].call(ports.behind(gate))
    assert gate.points == [point]
    assert EFFECTS[point].seen(ports) == (effects == 1)


def test_a_repeated_write_is_one_write(ports: Ports) -> None:
    """A client that repeats a write by itself neither conflicts with itself nor writes twice."""
    store = ports.behind(PlannedGate(lambda _: Passage(times=2))).store
    store.write([put("a", n=1), put("b")])
    store.write([put("a", 1, n=2), Delete(key("b"), 1)])
    store.write([Delete(key("a"), 2)])
    store.write([put("a", n=3)])
    (found,) = store.get([key("a")])
    assert found is not None
    assert (found.version, found.attributes) == (1, {"n": 3})
    with pytest.raises(Conflict):
        store.write([put("a")])
    with pytest.raises(Conflict):
        store.write([Delete(key("b"), 1)])


def test_a_repeated_send_is_one_message(ports: Ports) -> None:
    """A client that repeats a send by itself sends one message, since the dedup id is the same."""
    queue = ports.behind(PlannedGate(lambda _: Passage(times=3))).queue
    queue.send([mail("1"), mail("2")])
    got = ports.queue.receive(10, visibility=10)
    assert [message.body for message in got] == ["1", "2"]
    queue.delete(message.receipt for message in got)
    assert ports.queue.receive(10, visibility=10) == ()


def use_everything(ports: Ports) -> list[object]:
    """Call every method of every port and give the answers."""
    ports.store.write([put("a", n=1)])
    answers: list[object] = [
        ports.store.get([key("a")]),
        ports.store.query("conversations", "p", "a", limit=1, descending=True),
        ports.store.due("conversation", 1.0, 1),
    ]
    ports.queue.send([mail("1"), mail("2")])
    (first,) = ports.queue.receive(1, visibility=10.0)
    ports.queue.change_visibility([first.receipt], 20.0)
    ports.queue.delete(iter([first.receipt]))
    answers += [
        first,
        ports.blobs.put("a", b"1", "text/plain"),
        ports.blobs.get("a"),
        ports.blobs.names("a", 1),
        ports.blobs.link("a", 60),
    ]
    ports.blobs.delete(iter(["a"]))
    ports.secrets.put("a", {"b": "c"})
    return [*answers, ports.secrets.get("a", fresh=True), ports.secrets.entries()]


POINTS = [
    *("store.write", "store.get", "store.query", "store.due"),
    *("queue.mailbox.send", "queue.mailbox.receive"),
    *("queue.mailbox.change_visibility", "queue.mailbox.delete"),
    *("blobs.put", "blobs.get", "blobs.names", "blobs.delete"),
    *("secrets.put", "secrets.get", "secrets.entries"),
]


def test_every_call_passes_the_gate(ports: Ports) -> None:
    """Each method has its point, passed once a call, in order; a link needs no call."""
    gate = CountingGate()
    use_everything(ports.behind(gate))
    assert gate.points == POINTS
    assert gate.counts("store.", "blobs.get") == {
        "store.write": 1,
        "store.get": 1,
        "store.query": 1,
        "store.due": 1,
        "blobs.get": 1,
    }
    assert sum(gate.counts().values()) == len(POINTS)
    gate.reset()
    assert not gate.counts()


def test_an_open_gate_changes_nothing(ports: Ports, tmp_path: Path, clock: VirtualClock) -> None:
    """Behind an open gate every port answers as it does by itself."""
    behind = use_everything(ports.behind(OpenGate()))
    with Database(tmp_path / "other.db", clock) as other:
        itself = Ports(
            item_store(other),
            mailbox(other),
            FileBlobs(tmp_path / "others"),
            FileSecrets(tmp_path / "others.json", clock),
        )
        assert behind == use_everything(itself)
