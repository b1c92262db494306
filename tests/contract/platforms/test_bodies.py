"""What a signed body may hold: anything. Parse reads it or says why not, and never raises."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contract.platforms.enrolled import ENROLLED, EVERY_PLATFORM, EVERY_RECORDING, accepted
from tests.contract.platforms.enrolment import Enrolment
from tests.events import Recorded
from threadline.core import wire
from threadline.core.envelope import Arrived
from threadline.core.message import Handshake, Ignored, Messages, Parsed
from threadline.core.reasons import Reason

REASONS = {str(reason) for reason in Reason}
NOT_JSON = {
    "empty": b"",
    "blank": b"   ",
    "no json": b"<html>",
    "cut short": b'{"update_id": 1, "mess',
    "not utf-8": b'{"a": "\xff\xfe"}',
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "a list": b"[]",
    "a string": b'"text"',
    "a number": b"7",
    "null": b"null",
    "an empty object": b"{}",
    "deep": b"[" * 200_000,
    "deep objects": b'{"a":' * 100_000,
    "a number of 10,000 digits": b'{"update_id":' + b"9" * 10_000 + b"}",
    "two megabytes": b'{"a": "' + b"x" * 2_000_000 + b'"}',
    "not a number": b'{"update_id": NaN, "id": Infinity}',
}
ODD: tuple[Any, ...] = (
    None, True, False, -1, 0, 10**30, -(10**400), 1.5, 1e300, "", "x", "\ufffe\uffff", "\ud800",
    "\x00\x1b[31m", [], {}, [[]], [{}], {"id": None}, [None], "9" * 5000,
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@EVERY_PLATFORM
@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON.keys())
def test_an_unreadable_body_is_ignored_with_a_reason(one: Enrolment, body: bytes) -> None:
    """A body that says nothing of this platform's leads to no message and no error."""
    parsed = parse(one, body)
    assert isinstance(parsed, Ignored)
    assert parsed.reason in REASONS


@EVERY_RECORDING
def test_a_body_cut_short_is_unreadable(one: Enrolment, recorded: Recorded) -> None:
    """Half a delivery is unreadable, wherever it was cut."""
    body = recorded.webhook.body
    for at in (1, len(body) // 2, len(body) - 1):
        assert parse(one, body[:at]) == Ignored(Reason.UNREADABLE)


@EVERY_RECORDING
def test_any_part_of_a_delivery_may_be_odd(one: Enrolment, recorded: Recorded) -> None:
    """Each value of a real delivery replaced by something else, or absent, raises nothing."""
    whole = recorded.payload
    for path in paths(whole):
        for odd in ODD:
            changed = recorded.payload
            owner = at(changed, path[:-1])
            owner[path[-1]] = odd
            sound(parse_like(one, recorded, changed))
        changed = recorded.payload
        del at(changed, path[:-1])[path[-1]]
        sound(parse_like(one, recorded, changed))


@EVERY_RECORDING
def test_text_that_queues_refuse_is_carried(one: Enrolment, recorded: Recorded) -> None:
    """Noncharacters, control characters and lone surrogates in any text do no harm."""
    whole = recorded.payload
    for path in paths(whole):
        value = at(whole, path)
        if isinstance(value, str):
            changed = recorded.payload
            at(changed, path[:-1])[path[-1]] = f"{value} \ufffe\uffff\x00\ud83d \udc00 \U0010ffff"
            sound(parse_like(one, recorded, changed))


@given(st.binary(max_size=400))
@settings(max_examples=150)
def test_random_bytes_are_refused_in_words(body: bytes) -> None:
    """Whatever the bytes, every platform answers with one of the documented reasons."""
    for one in ENROLLED:
        parsed = parse(one, body)
        assert isinstance(parsed, Ignored)
        assert parsed.reason in REASONS


@given(JSON)
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
def test_random_json_is_refused_in_words(value: object) -> None:
    """Whatever the JSON, every platform answers with one of the documented reasons."""
    for one in ENROLLED:
        parsed = parse(one, json.dumps(value).encode())
        assert isinstance(parsed, Ignored)
        assert parsed.reason in REASONS


@EVERY_PLATFORM
def test_a_long_delivery_is_bounded(one: Enrolment) -> None:
    """The longest delivery that is taken at all has a limit, well above a real one."""
    assert len(accepted(one).webhook.body) < one.platform.traits.max_delivery <= 25_000_000


def parse(one: Enrolment, body: bytes) -> Parsed:
    """Parse a body that was signed and accepted, headers as in a recorded delivery."""
    request = replace(accepted(one).webhook, body=body)
    return one.platform.parse(request, one.credentials, one.now)


def parse_like(one: Enrolment, recorded: Recorded, changed: object) -> Parsed:
    """Parse a changed body, as JSON, under the headers of its own recording."""
    headers = {**recorded.webhook.headers, "content-type": "application/json"}
    request = replace(recorded.webhook, headers=headers, body=json.dumps(changed).encode())
    return one.platform.parse(request, one.using(recorded), one.now)


def sound(parsed: Parsed) -> None:
    """Check that what was parsed can go on: a known reason, or messages that every queue takes."""
    match parsed:
        case Ignored(reason, _):
            assert reason in REASONS
        case Messages(messages):
            assert messages
            for message in messages:
                assert message.id
                assert message.chat
                assert message.sender.id
                assert wire.encode(Arrived(message=message, accepted_at=0.0)).isascii()
        case Handshake(body):
            assert body


def paths(value: object, before: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the way to every value inside a decoded body."""
    inner: Any = value
    names: Any = inner.keys() if isinstance(value, dict) else ()
    if isinstance(value, list):
        names = range(len(value))
    for name in names:
        yield (*before, name)
        yield from paths(inner[name], (*before, name))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    """Follow a way into a decoded body."""
    for name in path:
        value = value[name]
    return value
