"""Who may knock: every platform accepts what its own side signed, and nothing else."""

from dataclasses import replace

import pytest

from tests.contract.platforms.enrolled import EVERY_KNOCKING, EVERY_REQUEST, accepted
from tests.contract.platforms.enrolment import Knocking
from tests.events import Recorded
from threadline.core.errors import DeliveryRejected, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

NEWER = "the-secret-after-the-next-rotation"


@EVERY_REQUEST
def test_a_recorded_delivery_is_accepted_as_it_came(one: Knocking, recorded: Recorded) -> None:
    """What a platform really sends passes, unless the recording is there to be refused."""
    if recorded.expect["outcome"] == "refused":
        with pytest.raises(DeliveryRejected):
            one.platform.verify(recorded.webhook, one.using(recorded), one.now)
    else:
        one.platform.verify(recorded.webhook, one.using(recorded), one.now)


@EVERY_KNOCKING
def test_what_we_stamp_is_accepted(one: Knocking) -> None:
    """A stamped delivery is signed as the platform signs, whatever its body."""
    for body in (b"{}", b"", b"\xff\x00", "ä…".encode()):
        one.platform.verify(signed(one, body), one.credentials, one.now)


@EVERY_KNOCKING
@pytest.mark.parametrize(
    "header", [None, "", " ", "0", "sha256=", "sha256=00", "ä", "\x00", "v0=" + "0" * 5000]
)
def test_a_wrong_signature_is_refused(one: Knocking, header: str | None) -> None:
    """A missing, empty, cut or foreign signature is refused, and nothing else is raised."""
    request = with_header(one, signed(one, b"{}"), header)
    with pytest.raises(SignatureInvalid):
        one.platform.verify(request, one.credentials, one.now)


@EVERY_KNOCKING
def test_every_character_of_the_signature_counts(one: Knocking) -> None:
    """A signature that differs in one place is refused."""
    request = signed(one, b"{}")
    right = request.headers[one.signature]
    for at in (0, len(right) // 2, len(right) - 1):
        other = "0" if right[at] != "0" else "1"
        wrong = with_header(one, request, right[:at] + other + right[at + 1 :])
        with pytest.raises(SignatureInvalid):
            one.platform.verify(wrong, one.credentials, one.now)


@EVERY_KNOCKING
def test_another_secret_is_refused(one: Knocking) -> None:
    """A delivery signed with somebody else's secret is refused."""
    request = one.platform.stamp(bare(b"{}"), with_secrets(one, other=True), one.now)
    with pytest.raises(SignatureInvalid):
        one.platform.verify(request, one.credentials, one.now)


@EVERY_KNOCKING
def test_a_changed_body_is_refused(one: Knocking) -> None:
    """Where the signature covers the body, a flipped byte or a re-serialised body is refused."""
    if not one.signs_body:
        assert one.signed_with in one.platform.secrets_needed
        return
    request = signed(one, b'{"a": 1}')
    for body in (b'{"a": 2}', b'{"a":1}', b'{"a": 1} ', b""):
        with pytest.raises(SignatureInvalid):
            one.platform.verify(replace(request, body=body), one.credentials, one.now)


@EVERY_KNOCKING
def test_without_a_secret_nothing_is_accepted(one: Knocking) -> None:
    """No secret, no entry: an absent or empty one fails closed, also against an empty header."""
    request = signed(one, b"{}")
    for secrets in ({}, {one.signed_with: ""}, {f"{one.signed_with}.previous": ""}):
        credentials = replace(one.credentials, secrets=secrets)
        for header in (request.headers[one.signature], "", None):
            with pytest.raises(SignatureInvalid):
                one.platform.verify(with_header(one, request, header), credentials, one.now)


@EVERY_KNOCKING
def test_two_secrets_are_valid_while_one_is_rotated(one: Knocking) -> None:
    """The new secret and the one before it both open; any older one does not."""
    old = one.credentials.secrets[one.signed_with]
    rotated = with_secrets(one, other=True, previous=old)
    one.platform.verify(signed(one, b"{}"), rotated, one.now)
    one.platform.verify(one.platform.stamp(bare(b"{}"), rotated, one.now), rotated, one.now)
    older = one.signing("another-one-altogether")[one.signed_with]
    later = with_secrets(one, other=True, previous=older)
    with pytest.raises(SignatureInvalid):
        one.platform.verify(signed(one, b"{}"), later, one.now)


@EVERY_KNOCKING
def test_secrets_that_make_a_route_are_named(one: Knocking) -> None:
    """The signing secret is among those without which there is no route."""
    assert one.signed_with in one.platform.secrets_needed or not one.signs_always
    assert set(one.platform.secrets_needed) <= set(one.credentials.secrets)


@EVERY_KNOCKING
def test_verifying_reads_no_more_than_bytes(one: Knocking) -> None:
    """A signed body that nobody can read is accepted: what it says is parse's concern."""
    request = accepted(one).webhook
    broken = one.platform.stamp(replace(request, body=request.body[:-3]), one.credentials, one.now)
    one.platform.verify(broken, one.credentials, one.now)


def bare(body: bytes) -> Webhook:
    """Make a request without any header."""
    return Webhook("POST", "/", {}, {}, body)


def signed(one: Knocking, body: bytes) -> Webhook:
    """Make a request as the platform would sign it."""
    return one.platform.stamp(bare(body), one.credentials, one.now)


def with_header(one: Knocking, request: Webhook, value: str | None) -> Webhook:
    """Replace the signature, or take it away."""
    headers = {name: text for name, text in request.headers.items() if name != one.signature}
    return replace(request, headers=headers if value is None else {**headers, one.signature: value})


def with_secrets(one: Knocking, *, other: bool, previous: str = "") -> Credentials:
    """Give the credentials a new signing secret, and one before it."""
    secrets = dict(one.credentials.secrets)
    if other:
        secrets |= one.signing(NEWER)
    if previous:
        secrets[f"{one.signed_with}.previous"] = previous
    return replace(one.credentials, secrets=secrets)
