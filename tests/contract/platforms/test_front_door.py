"""Deliveries through the front door: HTTP events in, answers and mailbox messages out."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.contract.platforms.door import open_door, opened, quiet
from tests.contract.platforms.enrolled import EVERY_KNOCKING, EVERY_REQUEST, KNOCKING, accepted
from tests.contract.platforms.enrolment import Knocking
from tests.contract.ports.backends import Ports
from tests.events import Recorded, recordings
from threadline.app.ingest import UNREADABLE

ports = pytest.fixture(opened)


@EVERY_REQUEST
def test_a_recorded_delivery_arrives(one: Knocking, recorded: Recorded, ports: Ports) -> None:
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


@EVERY_KNOCKING
def test_a_redelivery_is_one_message(one: Knocking, ports: Ports) -> None:
    """The same delivery within minutes stands in the mailbox once."""
    door = open_door(one, ports)
    for _ in range(3):
        assert door.send(accepted(one).event)[0] == 200
    assert len(door.mailbox()) == 1


EACH_KIND = [
    pytest.param(one, recorded, id=str(recorded))
    for one in KNOCKING
    for recorded in {
        case.event["headers"].get("content-type", ""): case
        for case in recordings(one.platform.name)
        if case.expect["outcome"] == "accepted" and not case.without
    }.values()
]


@pytest.mark.parametrize(("one", "recorded"), EACH_KIND)
def test_odd_envelopes_arrive(one: Knocking, recorded: Recorded, ports: Ports) -> None:
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


@EVERY_KNOCKING
@pytest.mark.parametrize("headers", [None, {}, {"content-type": "application/json"}])
def test_without_a_signature_nothing_arrives(
    one: Knocking, headers: Mapping[str, str] | None, ports: Ports
) -> None:
    """Headers that are null, empty or unsigned are refused in words of ours."""
    door = open_door(one, ports)
    status, body = door.send({**accepted(one).event, "headers": headers})
    assert (status, json.loads(body)) == (401, {"error": "signature_invalid"})
    assert door.mailbox() == []
    quiet(door, body)


@EVERY_KNOCKING
def test_without_a_secret_there_is_no_route(one: Knocking, ports: Ports) -> None:
    """An app without its secrets, or an unknown app, does not exist: 404, signed or not."""
    for lacking in one.platform.secrets_needed:
        door = open_door(one, ports)
        known = {name: value for name, value in one.credentials.secrets.items() if name != lacking}
        ports.secrets.put(f"{one.platform.name}/{one.credentials.app}", known)
        assert door.send(accepted(one).event)[0] == 404
    door = open_door(one, ports)
    assert door.send(accepted(one).event, app="another")[0] == 404
    assert door.mailbox() == []


@EVERY_KNOCKING
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "HEAD"])
def test_only_posts_are_taken(one: Knocking, method: str, ports: Ports) -> None:
    """Another method is answered 405."""
    door = open_door(one, ports)
    event = json.loads(json.dumps(accepted(one).event))
    event["requestContext"]["http"]["method"] = method
    assert door.send(event)[0] == 405
    assert door.mailbox() == []


@EVERY_KNOCKING
def test_too_long_a_delivery_is_refused_before_any_work(one: Knocking, ports: Ports) -> None:
    """A body over the limit is answered 413, whatever its signature says."""
    door = open_door(one, ports)
    body = "x" * (one.platform.traits.max_delivery + 1)
    status, answer = door.send({**accepted(one).event, "body": body})
    assert (status, json.loads(answer)) == (413, {"error": "too_large"})


@EVERY_KNOCKING
@pytest.mark.parametrize("body", ["", "{", "[]", "\ufffe", '{"a":' * 5000, "\ud800"])
def test_a_signed_body_nobody_can_read_is_kept(one: Knocking, body: str, ports: Ports) -> None:
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


@EVERY_KNOCKING
def test_a_rotated_secret_is_noticed(one: Knocking, ports: Ports) -> None:
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
