import pytest

from tests.contract.ports.backends import Ports
from tests.contract.ports.mail import drain, mail, one, send
from threadline.core.ports import Outgoing, Queue

REFUSED_TEXT = {
    "empty": "",
    "null": "a\x00",
    "control character": "\x1b[0m",
    "noncharacter": "a\ufffeb",
    "other noncharacter": "a\uffffb",
    "lone surrogate": "a\ud800b",
    "over 1 MiB": "a" * (1024 * 1024 + 1),
    "over 1 MiB in bytes": "ä" * (512 * 1024 + 1),
}


@pytest.mark.parametrize("body", REFUSED_TEXT.values(), ids=REFUSED_TEXT.keys())
def test_a_body_that_sqs_refuses_is_refused(ports: Ports, body: str) -> None:
    """Text that SQS does not carry raises ValueError and nothing of the send is sent."""
    with pytest.raises(ValueError, match=r"."):
        ports.fifo.send([mail("fine"), mail(body)])
    with pytest.raises(ValueError, match=r"."):
        ports.standard.send([Outgoing("fine"), Outgoing(body)])
    assert drain(ports.fifo) == drain(ports.standard) == []


REFUSED_FIFO = {
    "delay": Outgoing("1", "g", "x", delay=1),
    "no group": Outgoing("1", "", "x"),
    "no dedup id": Outgoing("1", "g", ""),
    "long group": Outgoing("1", "g" * 129, "x"),
    "long dedup id": Outgoing("1", "g", "x" * 129),
    "space in group": Outgoing("1", "a b", "x"),
    "group beyond ASCII": Outgoing("1", "ä", "x"),
    "dedup id beyond ASCII": Outgoing("1", "g", "漢"),
}


@pytest.mark.parametrize("message", REFUSED_FIFO.values(), ids=REFUSED_FIFO.keys())
def test_a_fifo_queue_refuses(fifo: Queue, message: Outgoing) -> None:
    """A FIFO queue wants short ASCII ids of group and message, and takes no delay."""
    with pytest.raises(ValueError, match=r"."):
        fifo.send([message])
    assert drain(fifo) == []


REFUSED_STANDARD = {
    "long delay": Outgoing("1", delay=901),
    "negative delay": Outgoing("1", delay=-1),
    "group": Outgoing("1", "g"),
    "dedup id": Outgoing("1", dedup="x"),
}


@pytest.mark.parametrize("message", REFUSED_STANDARD.values(), ids=REFUSED_STANDARD.keys())
def test_a_standard_queue_refuses(standard: Queue, message: Outgoing) -> None:
    """A standard queue takes delays of 0 to 900 s, and neither group nor dedup id."""
    with pytest.raises(ValueError, match=r"."):
        standard.send([message])
    assert drain(standard) == []


def test_a_body_of_a_mebibyte_fits(fifo: Queue) -> None:
    """A message may be 1 MiB long, and several of them go in one send."""
    bodies = [letter * (1024 * 1024) for letter in "abc"]
    send(fifo, *bodies)
    assert [body[0] for body in drain(fifo)] == list("abc")


@pytest.mark.parametrize("limit", [0, -1, 11])
def test_a_receive_takes_one_to_ten(fifo: Queue, limit: int) -> None:
    """A receive asks for 1 to 10 messages."""
    with pytest.raises(ValueError, match="10"):
        fifo.receive(limit, visibility=10)


@pytest.mark.parametrize("seconds", [-1, 43_201])
def test_a_visibility_is_at_most_twelve_hours(fifo: Queue, seconds: float) -> None:
    """A visibility is 0 to 43,200 s, at the receive and later."""
    send(fifo, "1")
    with pytest.raises(ValueError, match="43200"):
        fifo.receive(1, visibility=seconds)
    with pytest.raises(ValueError, match="43200"):
        fifo.change_visibility([one(fifo).receipt], seconds)


def test_nothing_to_do(fifo: Queue) -> None:
    """Sending and deleting nothing is done at once."""
    fifo.send([])
    fifo.delete([])
    assert drain(fifo) == []
