import pytest

from tests.contract.ports.backends import Ports
from tests.contract.ports.mail import drain, mail, one, send, take
from threadline.core.ports import Queue


def test_a_group_keeps_its_order(fifo: Queue) -> None:
    """Messages of a group come in the order they were sent, over calls and batches."""
    bodies = [f"{n}" for n in range(25)]
    for first in range(0, 25, 5):
        send(fifo, *bodies[first : first + 5])
    assert drain(fifo) == bodies


def test_more_than_ten_go_in_one_send(fifo: Queue) -> None:
    """One send takes any number of messages and keeps their order."""
    bodies = [f"{n}" for n in range(23)]
    send(fifo, *bodies)
    assert drain(fifo) == bodies


def test_nothing_of_a_group_comes_while_one_is_in_flight(fifo: Queue) -> None:
    """A group waits for its message in flight; the deletion frees it."""
    send(fifo, "1", "2", "3")
    first = one(fifo)
    assert first.body == "1"
    assert take(fifo) == []
    fifo.delete([first.receipt])
    assert one(fifo).body == "2"
    assert take(fifo) == []


def test_a_message_sent_to_a_group_in_flight_waits(fifo: Queue) -> None:
    """What comes to a group later waits behind what is in flight."""
    send(fifo, "1")
    first = one(fifo)
    send(fifo, "2")
    assert take(fifo) == []
    fifo.delete([first.receipt])
    assert take(fifo) == ["2"]


def test_groups_run_in_parallel(fifo: Queue) -> None:
    """A group in flight holds up no other."""
    for group in "abc":
        send(fifo, f"{group}1", f"{group}2", group=group)
    assert sorted(one(fifo).body for _ in range(3)) == ["a1", "b1", "c1"]
    assert take(fifo) == []


def test_a_batch_may_hold_several_of_a_group(fifo: Queue) -> None:
    """Messages of one group received together stand in order, and all block what follows."""
    send(fifo, "1", "2", "3", "4")
    got = [*fifo.receive(3, visibility=100.0)]
    assert [message.body for message in got] == ["1", "2", "3"][: len(got)]
    assert take(fifo) == []
    fifo.delete(message.receipt for message in got[:-1])
    assert take(fifo) == []
    fifo.delete([got[-1].receipt])
    assert one(fifo).body == f"{len(got) + 1}"


def test_a_message_tells_about_itself(ports: Ports) -> None:
    """A received message has its group, a count of its deliveries and the time it was sent."""
    before = ports.now()
    send(ports.fifo, "1", group="a/b")
    message = one(ports.fifo)
    assert (message.body, message.group, message.received) == ("1", "a/b", 1)
    assert before - 1 <= message.sent_at <= ports.now() + 1
    assert message.id
    assert message.receipt


def test_a_dedup_id_is_taken_once_in_its_group(fifo: Queue) -> None:
    """A second message with a group's dedup id is accepted and forgotten."""
    fifo.send([mail("1", dedup="x")])
    fifo.send([mail("2", dedup="x"), mail("3", dedup="y"), mail("4", dedup="y")])
    assert drain(fifo) == ["1", "3"]


def test_a_dedup_id_belongs_to_its_group(fifo: Queue) -> None:
    """The same dedup id in another group is another message."""
    fifo.send([mail("1", "a", "x"), mail("2", "b", "x")])
    assert sorted(drain(fifo)) == ["1", "2"]


def test_a_dedup_id_outlives_its_message(fifo: Queue) -> None:
    """A dedup id is remembered after its message was received and deleted."""
    fifo.send([mail("1", dedup="x")])
    assert drain(fifo) == ["1"]
    fifo.send([mail("2", dedup="x")])
    assert drain(fifo) == []


def test_a_dedup_id_is_forgotten_after_five_minutes(ports: Ports) -> None:
    """Five minutes after it was sent a dedup id may be used again, not before."""
    ports.fifo.send([mail("1", dedup="x")])
    ports.advance(295)
    ports.fifo.send([mail("2", dedup="x")])
    ports.advance(10)
    ports.fifo.send([mail("3", dedup="x")])
    assert drain(ports.fifo) == ["1", "3"]


def test_bodies_come_back_as_sent(fifo: Queue) -> None:
    """A body of any allowed characters comes back to the letter."""
    bodies = ['{"a": "ü 漢 🎉"}', " \t\r\n ", "\ue000\ufffd\U0010ffff\x7f\x85", "x" * 200_000]
    send(fifo, *bodies)
    assert drain(fifo) == bodies


@pytest.mark.parametrize("group", ["!", "~" * 128, "\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}"])
def test_ids_may_hold_punctuation(fifo: Queue, group: str) -> None:
    """Group and dedup ids take all printable ASCII but the space, 128 characters of it."""
    fifo.send([mail("1", group, group)])
    assert one(fifo).group == group


def test_a_chatty_group_starves_nobody(fifo: Queue) -> None:
    """A group that always has more waits for the others after each of its messages."""
    send(fifo, *(f"chatty{n}" for n in range(50)), group="chatty")
    for group in "abc":
        send(fifo, group, group=group)
    came = []
    for _ in range(8):
        message = one(fifo)
        came.append(message.body)
        fifo.delete([message.receipt])
    assert {"a", "b", "c"} <= set(came)


def test_the_queues_are_apart(ports: Ports) -> None:
    """What is sent to one queue does not come from the other."""
    send(ports.fifo, "1")
    assert take(ports.standard) == []
    assert take(ports.fifo) == ["1"]
