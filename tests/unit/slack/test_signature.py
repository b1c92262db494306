"""Slack's own library and ours agree on who signed what, in both directions."""

from dataclasses import replace

import pytest
from slack_sdk.signature import Clock, SignatureVerifier

from tests.contract.platforms.slack import CREDENTIALS
from tests.events import Recorded, recordings
from threadline.core.errors import DeliveryRejected, DeliveryStale
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.slack import PLATFORM
from threadline.platforms.slack.verify import sign, verify

NOW = 1_790_000_000.0
SECRET = CREDENTIALS.secret("signing_secret")


class Stopped(Clock):
    """The library's clock, standing still."""

    def now(self) -> float:
        return NOW


THEIRS = SignatureVerifier(SECRET, Stopped())


def accepted(request: Webhook, credentials: Credentials = CREDENTIALS) -> bool:
    """Tell whether we accept a request."""
    try:
        verify(request, credentials, NOW)
    except DeliveryRejected:
        return False
    return True


@pytest.mark.parametrize("recorded", recordings("slack"), ids=str)
def test_the_library_agrees_on_every_recording(recorded: Recorded) -> None:
    """What the vendor's verifier accepts we accept, and what it refuses we refuse."""
    request = recorded.webhook
    assert accepted(request) == THEIRS.is_valid_request(request.body, dict(request.headers))


@pytest.mark.parametrize("body", [b"", b"{}", b"payload=%7B%7D", "é…😀".encode()])
def test_what_one_side_signs_the_other_accepts(body: bytes) -> None:
    """Our signature passes theirs and theirs passes ours, whatever the body."""
    bare = Webhook("POST", "/", {}, {}, body)
    ours = PLATFORM.stamp(bare, CREDENTIALS, NOW)
    assert THEIRS.is_valid_request(body, dict(ours.headers))
    at = str(int(NOW))
    signature = THEIRS.generate_signature(timestamp=at, body=body)
    assert signature is not None
    headers = {"x-slack-signature": signature, "x-slack-request-timestamp": at}
    assert accepted(replace(bare, headers=headers))


@pytest.mark.parametrize("away", [-301, -300, -1, 0, 1, 300, 301, 86_400])
def test_the_window_is_the_librarys(away: int) -> None:
    """Five minutes to either side, and the very second both sides draw the line at."""
    at = str(int(NOW) + away)
    headers = {"x-slack-signature": sign(b"{}", at, SECRET), "x-slack-request-timestamp": at}
    ours = accepted(Webhook("POST", "/", {}, headers, b"{}"))
    assert ours == THEIRS.is_valid(b"{}", at, headers["x-slack-signature"])


@pytest.mark.parametrize("at", ["", "now", "-1", "1e9", "1790000000.5", "９", "9" * 400])
def test_a_signed_time_that_is_none_is_stale(at: str) -> None:
    """A body signed under nonsense as its time is refused, without any other error."""
    headers = {"x-slack-signature": sign(b"{}", at, SECRET), "x-slack-request-timestamp": at}
    with pytest.raises(DeliveryStale):
        verify(Webhook("POST", "/", {}, headers, b"{}"), CREDENTIALS, NOW)


def test_the_documented_example() -> None:
    """The example of the vendor's page gives the signature printed there."""
    body = (
        b"token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&"
        b"channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&"
        b"command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands"
        b"%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015."
        b"47445629121.803a0bc887a14d10d2c447fce8b6703c"
    )
    signature = sign(body, "1531420618", "8f742231b10e8888abcd99yyyzzz85a5")
    assert signature == "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"
