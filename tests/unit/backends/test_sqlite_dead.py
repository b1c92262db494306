"""Messages that nobody can handle, in the embedded queue."""

from pathlib import Path

from tests.unit.backends.embedded import mail
from threadline import wiring
from threadline.app.dispatch import LAST_TRY
from threadline.backends.clock import VirtualClock
from threadline.backends.sqlite.database import Database
from threadline.backends.sqlite.queue import SqliteQueue


def test_what_was_received_too_often_is_set_aside(tmp_path: Path) -> None:
    """At its limit a message is moved with all that it was; its neighbours are given as ever."""
    clock = VirtualClock()
    database = Database(tmp_path / "db", clock)
    dead = SqliteQueue(database, "mailbox-dead", fifo=True)
    queue = SqliteQueue(database, "mailbox", fifo=True, dead=dead, most=3)
    queue.send([mail("worn"), mail("next")])
    sent_at = clock.now()
    for times in (1, 2, 3):
        clock.advance(10)
        (worn,) = queue.receive(1, visibility=60.0)
        assert (worn.body, worn.received) == ("worn", times)
        queue.change_visibility([worn.receipt], 0.0)
    queue.send([mail("other", "h")])
    given = [one for _ in range(2) for one in queue.receive(1, visibility=60.0)]
    assert [one.body for one in given] == ["other", "next"]
    (letter,) = dead.receive(10, visibility=60.0)
    assert (letter.body, letter.group, letter.sent_at) == ("worn", "g", sent_at)
    dead.delete([letter.receipt])
    assert (dead.depth(), queue.depth()) == (0, 2)
    database.close()


def test_the_embedded_mailbox_has_the_limit_of_the_deployed_one(tmp_path: Path) -> None:
    """A mail is received three times more than dispatch tries it, and then is a dead letter."""
    clock = VirtualClock()
    local = wiring.local_ports(tmp_path, clock)
    queues = local.ports.queues
    queues.mailbox.send([mail("worn")])
    received = 0
    while found := queues.mailbox.receive(1, visibility=60.0):
        received += len(found)
        clock.advance(61)
    assert received == LAST_TRY + 3
    assert [one.body for one in queues.dead.receive(10, visibility=60.0)] == ["worn"]
    local.close()
