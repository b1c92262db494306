"""What a connection of ours brings, through ingest into the mailbox."""

import pytest

from tests.contract.platforms.door import open_door, opened, quiet
from tests.contract.platforms.enrolled import EVERY_HELD, EVERY_TRANSCRIPT
from tests.contract.platforms.enrolment import Enrolment
from tests.contract.platforms.test_sockets import codec
from tests.contract.ports.backends import Ports
from tests.events import recordings
from tests.transcripts import Transcript, messages, play
from threadline.app.ingest import UNREADABLE
from threadline.core.platform import ReceivesHttp

ports = pytest.fixture(opened)


@EVERY_TRANSCRIPT
def test_what_a_connection_brings_stands_in_the_mailbox(
    one: Enrolment, transcript: Transcript, ports: Ports
) -> None:
    """Deliveries arrive as they were parsed, once however often they come, and tell no text."""
    door, played = open_door(one, ports), play(codec(one), one.credentials, transcript)
    for _ in range(2):
        assert {door.fetch(body) for body in played.deliveries} <= {200}
    arrived = door.mailbox()
    wanted = list(messages(codec(one), one.credentials, played))
    assert sorted(arrived, key=lambda m: m.order) == sorted(wanted, key=lambda m: m.order)
    quiet(door, "")


@EVERY_HELD
@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe", b'{"a":' * 5000, b"null"])
def test_what_nobody_can_read_is_kept_aside(one: Enrolment, body: bytes, ports: Ports) -> None:
    """A delivery that cannot be read is taken, so that the connection goes on, and kept."""
    door = open_door(one, ports)
    assert door.fetch(body) == 200
    assert door.mailbox() == []
    if door.lines[-1]["reason"] == "unreadable":
        assert [ports.blobs.get(name) for name in ports.blobs.names(UNREADABLE)] == [body]
    quiet(door, "")


@EVERY_HELD
def test_what_only_holds_a_connection_has_no_webhook(one: Enrolment, ports: Ports) -> None:
    """Nobody can knock with what only a connection may bring: there is no such route."""
    if not isinstance(one.platform, ReceivesHttp):
        door = open_door(one, ports)
        for recorded in recordings(one.platform.name):
            assert door.send(recorded.event)[0] == 404
        assert door.mailbox() == []
