from tests.contract.ports.backends import Ports
from tests.contract.ports.mail import drain, one, send, take
from threadline.core.ports import Outgoing, Queue, Received


def test_an_unfinished_message_comes_again(ports: Ports) -> None:
    """A message not deleted within its visibility comes again, counted, before what follows it."""
    send(ports.fifo, "1", "2")
    first = one(ports.fifo, visibility=2)
    ports.advance(3)
    again = one(ports.fifo)
    assert (again.body, again.id, again.received) == ("1", first.id, 2)
    assert again.receipt != first.receipt
    assert take(ports.fifo) == []


def test_a_standard_message_comes_again(ports: Ports) -> None:
    """A message of a standard queue comes again after its visibility, counted."""
    ports.standard.send([Outgoing("1")])
    first = one(ports.standard, visibility=2)
    assert take(ports.standard) == []
    ports.advance(3)
    again = one(ports.standard)
    assert (again.body, again.id, again.received) == ("1", first.id, 2)


def test_a_stale_receipt_deletes_nothing(ports: Ports) -> None:
    """After the visibility ended a FIFO receipt does nothing: the message comes again."""
    send(ports.fifo, "1")
    stale = one(ports.fifo, visibility=1)
    ports.advance(2.5)
    ports.fifo.delete([stale.receipt])
    assert one(ports.fifo).body == "1"


def test_a_receipt_is_stale_once_the_message_came_again(ports: Ports) -> None:
    """Only the latest receipt counts: an older one neither deletes nor hides nor reveals."""
    for queue in (ports.fifo, ports.standard):
        queue.send([Outgoing("1", *(("g", "x") if queue is ports.fifo else ()))])
        stale = one(queue, visibility=1)
        ports.advance(2.5)
        latest = one(queue, visibility=2)
        queue.delete([stale.receipt])
        queue.change_visibility([stale.receipt], 0)
        assert take(queue) == []
        ports.advance(3)
        assert one(queue).body == latest.body


def test_a_stale_receipt_does_not_spoil_the_others(ports: Ports) -> None:
    """A deletion of several removes those that are in flight, whatever the others are."""
    for group in "abc":
        send(ports.fifo, group, group=group)
    stale = one(ports.fifo, visibility=1)
    ports.advance(2.5)
    held = [one(ports.fifo) for _ in range(3)]
    ports.fifo.delete([stale.receipt, *(message.receipt for message in held)])
    for message in held:
        ports.fifo.change_visibility([message.receipt], 0)
    assert drain(ports.fifo) == []


def test_a_message_is_given_back_at_once(fifo: Queue) -> None:
    """A visibility of 0 gives a message back, still first of its group."""
    send(fifo, "1", "2")
    fifo.change_visibility([one(fifo).receipt], 0)
    again = one(fifo)
    assert (again.body, again.received) == ("1", 2)


def test_a_standard_message_is_given_back_at_once(standard: Queue) -> None:
    """A visibility of 0 gives a message of a standard queue back."""
    standard.send([Outgoing("1")])
    standard.change_visibility([one(standard).receipt], 0)
    assert one(standard).received == 2


def test_a_visibility_can_be_prolonged(ports: Ports) -> None:
    """A prolonged message stays hidden, its receipt good, and its group blocked."""
    for queue in (ports.fifo, ports.standard):
        queue.send([Outgoing("1", *(("g", "x") if queue is ports.fifo else ()))])
        message = one(queue, visibility=2)
        queue.change_visibility([message.receipt], 100)
        ports.advance(3)
        assert take(queue) == []
        queue.delete([message.receipt])
        assert drain(queue) == []


def test_a_visibility_can_be_shortened(ports: Ports) -> None:
    """A visibility counts from the change, not from the receive."""
    send(ports.fifo, "1", "2")
    ports.fifo.change_visibility([one(ports.fifo, visibility=100).receipt], 2)
    assert take(ports.fifo) == []
    ports.advance(3)
    assert one(ports.fifo).body == "1"


def test_a_deleted_message_cannot_be_given_back(fifo: Queue) -> None:
    """Changing the visibility of what was deleted does nothing."""
    send(fifo, "1")
    message = one(fifo)
    fifo.delete([message.receipt])
    fifo.change_visibility([message.receipt], 0)
    fifo.delete([message.receipt])
    assert drain(fifo) == []


def test_a_group_waits_for_all_of_its_batch(ports: Ports) -> None:
    """Of a batch, one given back waits until the others are deleted or visible again."""
    send(ports.fifo, "1", "2", "3")
    got = ports.fifo.receive(2, visibility=100)
    assert [message.body for message in got] == ["1", "2"]
    ports.fifo.change_visibility([got[1].receipt], 0)
    assert take(ports.fifo) == []
    ports.fifo.delete([got[0].receipt])
    assert one(ports.fifo).body == "2"


def test_every_try_is_counted(ports: Ports) -> None:
    """The count of deliveries grows with each one."""
    send(ports.fifo, "1")
    for tries in range(1, 5):
        message = one(ports.fifo)
        assert message.received == tries
        ports.fifo.change_visibility([message.receipt], 0)


def test_many_messages_are_hidden_at_once(ports: Ports) -> None:
    """Any number of receipts take one call, stale ones among them cost nothing."""
    ports.standard.send([Outgoing(str(number)) for number in range(23)])
    got = taken(ports.standard, 23)
    ports.standard.delete([got[4].receipt])
    ports.standard.change_visibility([one.receipt for one in got], 0)
    again = taken(ports.standard, 22)
    assert {one.body for one in again} == {
        str(number) for number in range(23) if number != int(got[4].body)
    }


def taken(queue: Queue, number: int) -> list[Received]:
    """Receive that many messages, and hide them for long."""
    got: list[Received] = []
    for _ in range(50):
        got += queue.receive(10, visibility=300, wait=0.2)
        if len(got) >= number:
            break
    return got
