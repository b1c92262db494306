"""Deliveries through the front door: HTTP events in, answers and mailbox messages out."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.contract.platforms.enrolled import (
    ENROLLED,
    EVERY_PLATFORM,
    EVERY_RECORDING,
    accepted,
)
from tests.contract.platforms.enrolment import Enrolment
from tests.contract.ports.backends import Ports, embedded
from tests.events import Recorded, recordings
from threadline.app import codec
from threadline.app.ingest import UNREADABLE, Ingest
from threadline.backends.clock import VirtualClock
from threadline.backends.lambda_http import response, webhook
from threadline.core import keys
from threadline.core.envelope import Arrived
from threadline.core.message import Message
from threadline.core.posting import Credentials
from threadline.core.settings import AppSettings

MB = 1_000_000


@dataclass(slots=True)
class Door:
    """A front door with one app of one platform, and what it logged."""

    one: Enrolment
    ports: Ports
    lines: list[Mapping[str, object]] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def send(self, event: Mapping[str, Any], app: str = "default") -> tuple[int, str]:
        """Send an event and give status and body of the answer."""
        answer = response(self._ingest().receive(webhook(event), self.one.platform.name, app))
        return answer["statusCode"], answer["body"]

    def mailbox(self) -> list[Message]:
        """Take what stands in the mailbox."""
        found = []
        while taken := self.ports.fifo.receive(10, visibility=60.0):
            for one in taken:
                mail = codec.decode(one.body)
                assert isinstance(mail, Arrived)
                assert one.group == keys.queue_id(mail.message.mailbox)
                found.append(mail.message)
            self.ports.fifo.delete([one.receipt for one in taken])
        return found

    def _ingest(self) -> Ingest:
        credentials = self.one.credentials
        app = AppSettings(
            platform=credentials.platform,
            app=credentials.app,
            identity=credentials.identity,
            identity_name=credentials.identity_name,
        )
        return Ingest(
            mailbox=self.ports.fifo,
            blobs=self.ports.blobs,
            secrets=self.ports.secrets,
            clock=VirtualClock(self.one.now),
            apps=lambda: (app,),
            platform=lambda name: self.one.platform if name == self.one.platform.name else None,
            random=lambda: str(next(self.numbers)),
            log=lambda event, **more: self.lines.append({"event": event, **more}),
        )


@pytest.fixture
def ports(tmp_path: Path) -> Iterator[Ports]:
    """Fresh ports."""
    with embedded(tmp_path) as opened:
        yield opened


def open_door(one: Enrolment, ports: Ports, using: Credentials | None = None) -> Door:
    """Open the front door of a platform whose secrets are in place."""
    entry = f"{one.platform.name}/{one.credentials.app}"
    ports.secrets.put(entry, (using or one.credentials).secrets)
    return Door(one, ports)


@EVERY_RECORDING
def test_a_recorded_delivery_arrives(one: Enrolment, recorded: Recorded, ports: Ports) -> None:
    """Accepted deliveries stand in their mailbox, ignored ones are 200, refused ones 401."""
    door = open_door(one, ports, one.using(recorded))
    outcome = recorded.expect["outcome"]
    status, body = door.send(recorded.event)
    assert status == (401 if outcome == "refused" else 200)
    arrived = door.mailbox()
    assert bool(arrived) == (outcome == "accepted")
    parsed = one.platform.parse(recorded.webhook, one.using(recorded), one.now)
    assert outcome == "refused" or arrived == list(getattr(parsed, "messages", ()))
    assert len(door.lines) == max(len(arrived), 1)
    quiet(door, body)


@EVERY_PLATFORM
def test_a_redelivery_is_one_message(one: Enrolment, ports: Ports) -> None:
    """The same delivery within minutes stands in the mailbox once."""
    door = open_door(one, ports)
    for _ in range(3):
        assert door.send(accepted(one).event)[0] == 200
    assert len(door.mailbox()) == 1


EACH_KIND = [
    pytest.param(one, recorded, id=str(recorded))
    for one in ENROLLED
    for recorded in {
        case.event["headers"].get("content-type", ""): case
        for case in recordings(one.platform.name)
        if case.expect["outcome"] == "accepted" and not case.without
    }.values()
]


@pytest.mark.parametrize(("one", "recorded"), EACH_KIND)
def test_odd_envelopes_arrive(one: Enrolment, recorded: Recorded, ports: Ports) -> None:
    """A base64 body and header names in any case are the delivery they were, JSON or a form."""
    door = open_door(one, ports, one.using(recorded))
    event = recorded.event
    encoded = base64.b64encode(event["body"].encode()).decode()
    assert door.send({**event, "body": encoded, "isBase64Encoded": True})[0] == 200
    first = door.mailbox()
    ports.advance(600)
    shouted = {name.upper(): value for name, value in event["headers"].items()}
    assert door.send({**event, "headers": shouted})[0] == 200
    assert door.mailbox() == first


@EVERY_PLATFORM
@pytest.mark.parametrize("headers", [None, {}, {"content-type": "application/json"}])
def test_without_a_signature_nothing_arrives(
    one: Enrolment, headers: Mapping[str, str] | None, ports: Ports
) -> None:
    """Headers that are null, empty or unsigned are refused in words of ours."""
    door = open_door(one, ports)
    status, body = door.send({**accepted(one).event, "headers": headers})
    assert (status, json.loads(body)) == (401, {"error": "signature_invalid"})
    assert door.mailbox() == []
    quiet(door, body)


@EVERY_PLATFORM
def test_without_a_secret_there_is_no_route(one: Enrolment, ports: Ports) -> None:
    """An app without its secrets, or an unknown app, does not exist: 404, signed or not."""
    for lacking in one.platform.secrets_needed:
        door = open_door(one, ports)
        known = {name: value for name, value in one.credentials.secrets.items() if name != lacking}
        ports.secrets.put(f"{one.platform.name}/{one.credentials.app}", known)
        assert door.send(accepted(one).event)[0] == 404
    door = open_door(one, ports)
    assert door.send(accepted(one).event, app="another")[0] == 404
    assert door.mailbox() == []


@EVERY_PLATFORM
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_only_posts_are_taken(one: Enrolment, method: str, ports: Ports) -> None:
    """Another method is answered 405."""
    door = open_door(one, ports)
    event = json.loads(json.dumps(accepted(one).event))
    event["requestContext"]["http"]["method"] = method
    assert door.send(event)[0] == 405
    assert door.mailbox() == []


@EVERY_PLATFORM
def test_too_long_a_delivery_is_refused_before_any_work(one: Enrolment, ports: Ports) -> None:
    """A body over the limit is answered 413, whatever its signature says."""
    door = open_door(one, ports)
    body = "x" * (one.platform.traits.max_delivery + 1)
    status, answer = door.send({**accepted(one).event, "body": body})
    assert (status, json.loads(answer)) == (413, {"error": "too_large"})


@EVERY_PLATFORM
@pytest.mark.parametrize("body", ["", "{", "[]", "\ufffe", '{"a":' * 5000, "\ud800"])
def test_a_signed_body_nobody_can_read_is_kept(one: Enrolment, body: str, ports: Ports) -> None:
    """Once its signature is right a delivery is answered 2xx; an unreadable body is kept aside."""
    door = open_door(one, ports)
    recorded = accepted(one)
    raw = replace(recorded.webhook, body=body.encode("utf-8", "surrogatepass"))
    signed = one.platform.stamp(raw, one.credentials, one.now)
    event = {
        **recorded.event,
        "headers": signed.headers,
        "body": base64.b64encode(raw.body).decode(),
        "isBase64Encoded": True,
    }
    status, answer = door.send(event)
    assert status == 200
    assert door.mailbox() == []
    kept = [ports.blobs.get(name) for name in ports.blobs.names(UNREADABLE)]
    reason = door.lines[-1]["reason"]
    assert kept == ([raw.body] if reason == "unreadable" else [])
    quiet(door, answer)


@EVERY_PLATFORM
def test_a_rotated_secret_is_noticed(one: Enrolment, ports: Ports) -> None:
    """A delivery under a secret that was changed meanwhile is accepted after one fresh look."""
    door = open_door(one, ports)
    entry = f"{one.platform.name}/{one.credentials.app}"
    assert door.send(accepted(one).event)[0] == 200
    newer = {**one.credentials.secrets, **one.signing("another-secret-altogether")}
    ports.elsewhere().secrets.put(entry, newer)
    credentials = replace(one.credentials, secrets=newer)
    signed = one.platform.stamp(accepted(one).webhook, credentials, one.now, fresh=4_711)
    event = {**accepted(one).event, "headers": signed.headers, "body": signed.body.decode()}
    assert door.send(event)[0] == 200
    assert len(door.mailbox()) == 2


def quiet(door: Door, body: str) -> None:
    """Check that neither answer nor log tells a secret, a text or a trace of our code."""
    told = body + json.dumps(door.lines)
    secrets = door.one.credentials.secrets.values()
    assert not [secret for secret in secrets if secret in told]
    assert not re.search(r"Traceback|File \"|\.py\b", told)
    texts = [m["text"] for r in recordings(door.one.platform.name) for m in _messages(r)]
    assert not [text for text in texts if len(text) > 8 and text in told]


def _messages(recorded: Recorded) -> list[dict[str, Any]]:
    return [message for message in recorded.expect.get("messages", []) if "text" in message]
