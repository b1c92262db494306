from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.alone import AloneDatabase
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue
from threadline.core.ports import Outgoing, Received

GROUPS = ("a", "b", "c")


@dataclass
class Sent:
    """A message as the model remembers it."""

    body: str
    visible_at: float = 0.0
    received: int = 0
    receipt: str = ""


@dataclass
class Group:
    """A group: its messages in order, and since when its next one could be given."""

    messages: list[Sent] = field(default_factory=list)
    dedup: dict[str, float] = field(default_factory=dict)

    def in_flight(self, now: float) -> bool:
        """Tell whether one of it is being handled."""
        return any(message.visible_at > now for message in self.messages)


class QueueAgainstModel(RuleBasedStateMachine):
    """Any sequence of calls and passing time gives what lists of messages per group would give.

    Which of several ready groups comes first is the queue's to choose.
    """

    opens: ClassVar[type[Database]] = Database

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.clock = VirtualClock(0.0)
        self.now = 0.0
        self.groups = {name: Group() for name in GROUPS}
        self.receipts: list[str] = []
        self.sent = 0
        path = Path(self.folder.name) / "a.db"
        self.database = type(self).opens(path, self.clock, synchronous="NORMAL")
        self.queue = SqliteQueue(self.database, "mailbox", fifo=True)

    @rule(
        messages=st.lists(
            st.tuples(st.sampled_from(GROUPS), st.sampled_from(["x", "y", ""])), max_size=4
        )
    )
    def send(self, messages: list[tuple[str, str]]) -> None:
        """Send some messages, with a few dedup ids that come again and again."""
        outgoing = []
        for name, dedup in messages:
            self.sent += 1
            outgoing.append(Outgoing(f"{self.sent}", name, dedup or f"fresh-{self.sent}"))
        self.queue.send(outgoing)
        for message in outgoing:
            group = self.groups[message.group]
            if group.dedup.get(message.dedup, 0.0) <= self.now:
                group.dedup[message.dedup] = self.now + 300
                group.messages.append(Sent(message.body))

    @rule(limit=st.integers(1, 4), visibility=st.sampled_from([0, 2, 20]))
    def receive(self, limit: int, visibility: int) -> None:
        """Receive, and find what came at the head of groups that were ready."""
        ready = {n: g for n, g in self.groups.items() if g.messages and not g.in_flight(self.now)}
        came = self.queue.receive(limit, visibility=visibility)
        assert len(came) == min(limit, sum(len(group.messages) for group in ready.values()))
        for name, group in ready.items():
            of_group = [message for message in came if message.group == name]
            expected = group.messages[: len(of_group)]
            assert [message.body for message in of_group] == [one.body for one in expected]
            for message, one in zip(of_group, expected, strict=True):
                self.taken(message, one, visibility)
        assert {message.group for message in came} <= set(ready)

    def taken(self, message: Received, one: Sent, visibility: int) -> None:
        """Note a message as received."""
        one.received += 1
        one.visible_at = self.now + visibility
        one.receipt = message.receipt
        assert message.received == one.received
        assert message.receipt not in self.receipts
        self.receipts.append(message.receipt)

    def held(self, receipt: str) -> tuple[Group, Sent] | None:
        """Find the message in flight that a receipt is good for."""
        for group in self.groups.values():
            for message in group.messages:
                if message.receipt == receipt and message.visible_at > self.now:
                    return group, message
        return None

    @precondition(lambda self: self.receipts)
    @rule(choice=st.data())
    def delete(self, choice: st.DataObject) -> None:
        """Delete by some receipts, good and stale ones."""
        chosen = choice.draw(st.lists(st.sampled_from(self.receipts[-6:]), max_size=3))
        self.queue.delete(chosen)
        for receipt in chosen:
            if found := self.held(receipt):
                found[0].messages.remove(found[1])

    @precondition(lambda self: self.receipts)
    @rule(choice=st.data(), seconds=st.sampled_from([0, 1, 10]))
    def change_visibility(self, choice: st.DataObject, seconds: int) -> None:
        """Hide or reveal by a receipt, good or stale."""
        receipt = choice.draw(st.sampled_from(self.receipts[-6:]))
        self.queue.change_visibility([receipt], seconds)
        if found := self.held(receipt):
            found[1].visible_at = self.now + seconds

    @rule(seconds=st.sampled_from([1, 2, 15, 299, 301]))
    def wait(self, seconds: int) -> None:
        """Let time pass."""
        self.clock.advance(seconds)
        self.now += seconds

    @rule()
    def count(self) -> None:
        """Ask how many messages there are."""
        assert self.queue.depth() == sum(len(group.messages) for group in self.groups.values())

    def teardown(self) -> None:
        """Take everything that is left, in order, and close the database."""
        self.wait(60)
        while came := self.queue.receive(10, visibility=1000):
            self.queue.delete(message.receipt for message in came)
            for message in came:
                assert self.groups[message.group].messages.pop(0).body == message.body
        assert not any(group.messages for group in self.groups.values())
        self.database.close()
        self.folder.cleanup()


class QueueAloneAgainstModel(QueueAgainstModel):
    """The same where a single thread has the file to itself."""

    opens = AloneDatabase


test_the_queue_is_lists_per_group = QueueAgainstModel.TestCase
test_the_queue_alone_is_lists_per_group = QueueAloneAgainstModel.TestCase
test_the_queue_is_lists_per_group.settings = settings(
    max_examples=30,
    stateful_step_count=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
test_the_queue_alone_is_lists_per_group.settings = test_the_queue_is_lists_per_group.settings
