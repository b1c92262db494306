from tests.contract.ports.backends import Ports
from tests.contract.ports.mail import drain, one, take
from threadline.core.ports import Outgoing, Queue


def test_all_messages_come(standard: Queue) -> None:
    """Everything sent comes, at most ten a receive, nothing twice while it is hidden."""
    bodies = [f"{n}" for n in range(25)]
    standard.send([Outgoing(body) for body in bodies])
    came: list[str] = []
    while got := take(standard):
        assert len(got) <= 10
        came.extend(got)
    assert sorted(came, key=int) == bodies


def test_messages_do_not_block_each_other(standard: Queue) -> None:
    """A message in flight holds up no other."""
    standard.send([Outgoing("1"), Outgoing("2")])
    assert sorted((one(standard).body, one(standard).body)) == ["1", "2"]


def test_equal_messages_are_two(standard: Queue) -> None:
    """A standard queue forgets no message for being like another."""
    standard.send([Outgoing("1"), Outgoing("1")])
    standard.send([Outgoing("1")])
    assert drain(standard) == ["1", "1", "1"]


def test_a_delayed_message_comes_later(ports: Ports) -> None:
    """A delay hides one message for that long and no other."""
    ports.standard.send([Outgoing("later", delay=2), Outgoing("now")])
    assert take(ports.standard) == ["now"]
    ports.advance(3)
    assert one(ports.standard).received == 1


def test_the_longest_delay(ports: Ports) -> None:
    """A delay of 900 s ends after 900 s."""
    ports.standard.send([Outgoing("later", delay=900)])
    ports.advance(895)
    assert take(ports.standard) == []
    ports.advance(10)
    assert take(ports.standard) == ["later"]


def test_a_message_has_no_group(standard: Queue) -> None:
    """A message of a standard queue tells its tries and no group."""
    standard.send([Outgoing("1")])
    message = one(standard)
    assert (message.group, message.received) == ("", 1)
