import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

from tests.contract.ports.backends import Ports
from tests.contract.ports.mail import mail, one, send, take
from threadline.core.ports import Queue, Received

LONG = 20.0


def waiting(pool: ThreadPoolExecutor, queue: Queue) -> Future[tuple[Received, ...]]:
    """Begin a long receive and give it time to find nothing."""
    future = pool.submit(queue.receive, 1, visibility=100.0, wait=LONG)
    time.sleep(0.2)
    return future


def test_a_receive_waits_for_a_message(fifo: Queue) -> None:
    """A waiting receive returns with the message that comes, long before its time is up."""
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, fifo)
        send(fifo, "1")
        assert [message.body for message in future.result(LONG / 2)] == ["1"]


def test_a_receive_waits_for_another_process(ports: Ports) -> None:
    """A waiting receive also notices what another process sent."""
    other = ports.elsewhere().fifo
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, ports.fifo)
        send(other, "1")
        assert [message.body for message in future.result(LONG / 2)] == ["1"]


def test_a_receive_waits_for_a_group_to_be_free(fifo: Queue) -> None:
    """A waiting receive takes the next of a group as soon as the one in flight is deleted."""
    send(fifo, "1", "2")
    first = one(fifo)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, fifo)
        fifo.delete([first.receipt])
        assert [message.body for message in future.result(LONG / 2)] == ["2"]


def test_a_receive_waits_for_a_message_given_back(fifo: Queue) -> None:
    """A waiting receive takes what another receiver gives back."""
    send(fifo, "1")
    first = one(fifo)
    with ThreadPoolExecutor(1) as pool:
        future = waiting(pool, fifo)
        fifo.change_visibility([first.receipt], 0)
        assert [message.received for message in future.result(LONG / 2)] == [2]


def test_a_receive_gives_up(fifo: Queue) -> None:
    """A receive that waited in vain returns nothing, and one that does not wait too."""
    assert fifo.receive(1, visibility=10, wait=1) == ()
    assert fifo.receive(1, visibility=10) == ()


def test_waiting_receivers_share(fifo: Queue) -> None:
    """Of many that wait each gets messages of its own, none twice and none left."""
    with ThreadPoolExecutor(4) as pool:
        futures = [waiting(pool, fifo) for _ in range(4)]
        fifo.send([mail(f"{n}", group=f"{n}") for n in range(4)])
        came = [message.body for future in futures for message in future.result(LONG / 2)]
    assert sorted(came) == ["0", "1", "2", "3"]
    assert take(fifo) == []


def test_eight_consumers_keep_every_order(fifo: Queue) -> None:
    """Eight consumers at once handle every message once, each group in its order."""
    expected = {f"g{group}": [f"{n}" for n in range(6)] for group in range(6)}
    for group, bodies in expected.items():
        send(fifo, *bodies, group=group)
    handled: dict[str, list[str]] = {group: [] for group in expected}
    lock = threading.Lock()

    def consume(_: int) -> None:
        while sum(map(len, handled.values())) < 36:
            for message in fifo.receive(2, visibility=100.0):
                with lock:
                    handled[message.group].append(message.body)
                fifo.delete([message.receipt])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(consume, range(8)))
    assert handled == expected
