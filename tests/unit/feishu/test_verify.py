"""Who may knock, and how a delivery is sealed."""

import json
import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.feishu import CREDENTIALS, KEY
from tests.unit.feishu.events import PLAIN
from threadline.core.errors import DeliveryRejected, DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.feishu import PLATFORM
from threadline.platforms.feishu.crypto import seal, unseal
from threadline.platforms.feishu.verify import FRESH

NOW = 1_790_000_000.0
TOKEN = PLAIN.secret("verification_token")
VECTOR = bytes(range(16))
SIGNED_BY_THE_VENDOR = "P37w+VZImNgPEO1RBhJ6RtKl7n6zymIbEG1pReEzghk="
"""`hello world` under the key `test key`, from the open platform's own guide."""


def webhook(body: Any, **headers: str) -> Webhook:
    """Make a delivery."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Webhook("POST", "/webhooks/feishu", {}, headers, raw)


def accepted(request: Webhook, credentials: Credentials, now: float = NOW) -> bool:
    """Tell whether a delivery is let in."""
    try:
        PLATFORM.verify(request, credentials, now)
    except DeliveryRejected:
        return False
    return True


def with_secrets(**secrets: str) -> Credentials:
    """Give the app with other secrets."""
    return replace(CREDENTIALS, secrets={**PLAIN.secrets, **secrets})


def test_the_guides_example_is_opened() -> None:
    """What the open platform sealed in its guide says what the guide says."""
    assert unseal(SIGNED_BY_THE_VENDOR, "test key") == b"hello world"


@pytest.mark.parametrize("plain", [b"", b"x" * 15, b"x" * 16, b"x" * 17, "é…😀".encode()])
def test_what_was_sealed_is_opened(plain: bytes) -> None:
    """Of any length, with the right key only."""
    sealed = seal(plain, KEY, VECTOR)
    assert unseal(sealed, KEY) == plain
    assert unseal(sealed, f"{KEY}x") != plain


@pytest.mark.parametrize(
    "sealed", ["", "no base64!", "AAAA", "A" * 43 + "=", "A" * 44, "Ä" * 64, "\ud83d"]
)
def test_what_is_not_sealed_is_not_opened(sealed: str) -> None:
    """Cut, foreign or no base64 at all: nothing, and no error."""
    assert unseal(sealed, KEY) is None


@pytest.mark.parametrize(
    ("body", "let_in"),
    [
        ({"header": {"token": TOKEN}}, True),
        ({"token": TOKEN, "type": "url_verification"}, True),
        ({"header": {"token": f"{TOKEN}x"}}, False),
        ({"header": {"token": ""}}, False),
        ({"header": {"token": ["x"]}}, False),
        ({"header": {"token": "x"}, "token": TOKEN}, False),
        ({"event": {"token": TOKEN}}, False),
        ({}, False),
        ([TOKEN], False),
        (b"", False),
        (b"\xff", False),
    ],
)
def test_without_an_encrypt_key_the_token_opens(body: Any, *, let_in: bool) -> None:
    """The app's Verification Token, in the header of an event or beside a challenge."""
    assert accepted(webhook(body), PLAIN) is let_in


def test_an_app_without_a_token_lets_nobody_in() -> None:
    """No token set and none given is no match."""
    nobody = replace(PLAIN, secrets={**PLAIN.secrets, "verification_token": ""})
    assert not accepted(webhook({"header": {"token": ""}}), nobody)


def test_the_token_may_be_replaced() -> None:
    """Beside a new token the former one is taken until it is dropped."""
    request = webhook({"header": {"token": TOKEN}})
    newer = {"verification_token": "newer", "verification_token.previous": TOKEN}
    assert accepted(request, replace(PLAIN, secrets={**PLAIN.secrets, **newer}))
    del newer["verification_token.previous"]
    assert not accepted(request, replace(PLAIN, secrets={**PLAIN.secrets, **newer}))


@pytest.mark.parametrize(
    ("said", "key", "let_in"),
    [
        ({"type": "url_verification", "token": TOKEN, "challenge": "c"}, KEY, True),
        ({"type": "url_verification", "token": "wrong", "challenge": "c"}, KEY, False),
        ({"type": "url_verification", "token": TOKEN, "challenge": "c"}, "another", False),
        ({"type": "url_verification", "token": TOKEN, "challenge": "c" * 9000}, KEY, False),
        ({"header": {"token": TOKEN, "event_id": "e"}}, KEY, False),
    ],
)
def test_only_a_sealed_challenge_comes_unsigned(
    said: dict[str, Any], key: str, *, let_in: bool
) -> None:
    """Under an Encrypt Key; it is short, sealed with our key, and holds our token."""
    sealed = seal(json.dumps(said).encode(), key, VECTOR)
    assert accepted(webhook({"encrypt": sealed}), CREDENTIALS) is let_in
    assert not accepted(webhook(said), CREDENTIALS)


@pytest.mark.parametrize(
    ("late", "let_in"), [(0.0, True), (-60.0, True), (7 * 3600.0, True), (FRESH + 1, False)]
)
def test_a_signature_stays_good_while_feishu_repeats(late: float, *, let_in: bool) -> None:
    """Also the last repetition, seven hours later, is taken; one from yesterday is not."""
    request = PLATFORM.stamp(webhook({"header": {"token": TOKEN}}), CREDENTIALS, NOW)
    assert accepted(request, CREDENTIALS, NOW + late) is let_in
    if not let_in:
        with pytest.raises(DeliveryStale):
            PLATFORM.verify(request, CREDENTIALS, NOW + late)


@pytest.mark.parametrize("at", ["", "soon", "-5", "1e9", "9" * 400])
def test_a_signed_time_that_is_none_is_refused(at: str) -> None:
    """Whatever was signed as a time, it is judged and not raised."""
    from threadline.platforms.feishu.verify import sign

    headers = {
        "x-lark-request-timestamp": at, "x-lark-request-nonce": "n",
        "x-lark-signature": sign(b"{}", at, "n", KEY),
    }  # fmt: skip
    assert not accepted(webhook(b"{}", **headers), CREDENTIALS)


def test_the_encrypt_key_may_be_replaced() -> None:
    """Under a new key what the former one signed and sealed is taken and read."""
    body = {"header": {"token": TOKEN, "event_id": "e", "event_type": "x"}}
    request = PLATFORM.stamp(webhook(body), CREDENTIALS, NOW)
    both = with_secrets(**{"encrypt_key": "newer", "encrypt_key.previous": KEY})
    PLATFORM.verify(request, both, NOW)
    assert getattr(PLATFORM.parse(request, both, NOW), "reason", "") == "unknown_event"
    with pytest.raises(SignatureInvalid):
        PLATFORM.verify(request, with_secrets(encrypt_key="newer"), NOW)


def test_cryptography_is_imported_when_something_is_sealed() -> None:
    """A plain delivery costs no import of it: it is what makes a cold start slow."""
    program = (
        "import sys, json\n"
        "from threadline.platforms.feishu import PLATFORM\n"
        "from threadline.core.message import Webhook\n"
        "from threadline.core.posting import Credentials\n"
        "known = Credentials('feishu', 'x', secrets={'verification_token': 't'})\n"
        "body = json.dumps({'header': {'token': 't', 'event_id': 'e'}}).encode()\n"
        "request = Webhook('POST', '/', {}, {}, body)\n"
        "PLATFORM.verify(request, known, 0.0)\n"
        "PLATFORM.parse(request, known, 0.0)\n"
        "print(any(name.split('.')[0] == 'cryptography' for name in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, check=True, encoding="utf-8"
    )
    assert done.stdout == "False\n"
