"""Dead letters as an operator finds them after a bad night: very many, several of one chat."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from threadline import wiring
from threadline.app.audit import Hand
from threadline.app.forget import bodies
from threadline.app.forget.subject import Person, Traces
from threadline.app.redrive import DeadLetters
from threadline.backends.clock import VirtualClock
from threadline.core.ports import Outgoing, Queue, Received
from threadline.wiring import LocalPorts

HAND = Hand("op", "1")
MOST_READS = 100


@dataclass(slots=True)
class Slow:
    """A queue whose every read takes a while; it ends the test where reading never ends."""

    queue: Queue
    clock: VirtualClock
    takes: float
    reads: int = field(default=0)

    def receive(self, limit: int, *, visibility: float, wait: float = 0.0) -> tuple[Received, ...]:
        """Receive after a while."""
        self.reads += 1
        assert self.reads <= MOST_READS
        self.clock.advance(self.takes)
        return self.queue.receive(limit, visibility=visibility, wait=wait)

    def __getattr__(self, name: str) -> object:
        return getattr(self.queue, name)


@pytest.fixture
def clock() -> VirtualClock:
    """A clock that stands until it is moved."""
    return VirtualClock()


@pytest.fixture
def local(tmp_path: Path, clock: VirtualClock) -> Iterator[LocalPorts]:
    """Stores in a folder."""
    made = wiring.local_ports(tmp_path / "state", clock)
    yield made
    made.close()


def letters_in(local: LocalPorts, clock: VirtualClock, takes: float) -> tuple[Slow, DeadLetters]:
    """Give the queue, and what lists it and puts back."""
    ports = local.ports
    slow = Slow(ports.queues.dead, clock, takes)
    return slow, DeadLetters(slow, ports.queues.mailbox, ports.store, ports.blobs, clock)  # type: ignore[arg-type]


def die(local: LocalPorts, count: int, group: str = "") -> None:
    """Let mail that nobody can read have died."""
    for number in range(count):
        one = Outgoing(f"mail {number}", group=group or f"g{number}", dedup=f"{group}{number}")
        local.ports.queues.dead.send([one])


def test_more_letters_than_can_be_read_before_they_are_back(
    local: LocalPorts, clock: VirtualClock
) -> None:
    """Each is listed once, and put back once, though reading them all takes minutes."""
    die(local, 70)
    slow, letters = letters_in(local, clock, 30.0)
    listed = letters.letters()
    assert len({letter.id for letter in listed}) == len(listed) == 70
    slow.takes = 0.0
    assert len(letters.letters()) == 70
    slow.takes, slow.reads = 30.0, 0
    assert letters.put_back("", HAND) == 70
    assert letters.letters() == ()


def test_every_letter_of_one_chat_is_put_back(local: LocalPorts, clock: VirtualClock) -> None:
    """Those that came there by themselves, in their chat's order, all go back in that order."""
    die(local, 25, "one-chat")
    _, letters = letters_in(local, clock, 0.0)
    assert letters.put_back("", HAND) == 25
    back: list[str] = []
    while received := local.ports.queues.mailbox.receive(10, visibility=60):
        back += [one.body for one in received]
        local.ports.queues.mailbox.delete([one.receipt for one in received])
    assert back == [f"mail {number}" for number in range(25)]


def test_forgetting_ends_where_there_are_very_many_letters(
    local: LocalPorts, clock: VirtualClock
) -> None:
    """Counting them neither goes on for ever nor hides them from others."""
    die(local, 70)
    slow, letters = letters_in(local, clock, 30.0)
    traces = Traces(Person("telegram", "77"))
    assert bodies.letters(slow, local.ports.blobs, traces, remove=False) == 0  # type: ignore[arg-type]
    slow.takes = 0.0
    assert len(letters.letters()) == 70
