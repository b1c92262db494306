"""Feishu's own library and ours agree on who may knock and on what was said, in both directions."""

import base64
import json
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.contract.platforms.feishu import CREDENTIALS, KEY
from tests.events import Recorded, recording, recordings
from tests.peers import path_of
from tests.unit.feishu.events import PLAIN
from tests.unit.feishu.test_verify import NOW, accepted
from threadline.core.message import Handshake, Messages, Webhook
from threadline.core.posting import Credentials
from threadline.platforms.feishu import PLATFORM
from threadline.platforms.feishu.crypto import unseal
from threadline.platforms.feishu.opening import opened

pytestmark = pytest.mark.lark

EVERY = recordings("feishu")
WORDS = ("", "x" * 16, '{"text": "é…😀"}')
OURS_ALONE = {"sealed.stale", "plain_while_sealed.challenge"}
"""What only we refuse: the library looks at no time, and answers a challenge that is not sealed."""
CHANGES = ("body", "signature", "timestamp", "nonce", "key", "token")


def using(recorded: Recorded) -> Credentials:
    """Give the app of a recording."""
    return PLAIN if recorded.without else CREDENTIALS


def kind_of(request: Webhook, credentials: Credentials) -> str:
    """Give the type of the event, for the library wants a handler for each."""
    header = (opened(request.body, credentials) or {}).get("header")
    return str(header.get("event_type")) if isinstance(header, dict) else "none"


def case(request: Webhook, credentials: Credentials) -> dict[str, Any]:
    """Write a delivery for the judge."""
    return {
        "headers": dict(request.headers), "body": base64.b64encode(request.body).decode(),
        "key": credentials.secret("encrypt_key"),
        "token": credentials.secret("verification_token"),
        "event": kind_of(request, credentials),
    }  # fmt: skip


def stamped(name: str, credentials: Credentials, fresh: int = 0) -> Webhook:
    """Give a plain recording as Feishu would send it to this app now."""
    return PLATFORM.stamp(recording("feishu", name).webhook, credentials, NOW, fresh)


def changed(what: str) -> tuple[Webhook, Credentials]:
    """Give a delivery that was right before one thing changed, and the app it comes to."""
    request, credentials = stamped("message.p2p", CREDENTIALS), CREDENTIALS
    name = {"timestamp": "x-lark-request-timestamp", "nonce": "x-lark-request-nonce"}
    if what == "body":
        return replace(request, body=request.body + b" "), credentials
    if what in {"key", "token"}:
        secret = {"key": "encrypt_key", "token": "verification_token"}[what]
        other = {**credentials.secrets, secret: "another"}
        # The token alone says who it is where nothing is signed.
        lacks = {} if what == "key" else {"encrypt_key": ""}
        request = stamped("message.p2p", replace(credentials, secrets={**other, **lacks}))
        return request, PLAIN if what == "token" else credentials
    header = name.get(what, "x-lark-signature")
    value = request.headers[header]
    value = value[:-1] + ("0" if value[-1] != "0" else "1")
    return replace(request, headers={**request.headers, header: value}), credentials


@cache
def verdicts() -> Mapping[str, Any]:
    """Let the library judge everything at once: its import takes seconds."""
    cases = {f"recorded {one.case}": case(one.webhook, using(one)) for one in EVERY}
    cases |= {
        f"stamped {one.case}": case(stamped(one.case, CREDENTIALS, 1), CREDENTIALS)
        for one in EVERY if one.case.startswith("message.")
    }  # fmt: skip
    cases |= {f"changed {what}": case(*changed(what)) for what in CHANGES}
    cases |= {f"sealed {words}": {"seal": words, "key": KEY} for words in WORDS}
    program = Path(__file__).parent / "judge.py"
    done = subprocess.run(
        [path_of("lark"), "-I", program], input=json.dumps(cases), capture_output=True,
        check=True, encoding="utf-8",
    )  # fmt: skip
    told: Mapping[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("recorded", EVERY, ids=str)
def test_the_library_agrees_on_every_recording(recorded: Recorded) -> None:
    """What the vendor's dispatcher accepts we accept, and what it refuses we refuse."""
    theirs = verdicts()[f"recorded {recorded.case}"]["status"] == 200
    ours = accepted(recorded.webhook, using(recorded))
    assert theirs is (ours or recorded.case in OURS_ALONE)


@pytest.mark.parametrize(
    "recorded", [one for one in EVERY if one.case.startswith("message.")], ids=str
)
def test_what_we_seal_and_sign_the_library_reads(recorded: Recorded) -> None:
    """A stamped delivery is opened by the vendor, who hands on the very message that we read."""
    judged = verdicts()[f"stamped {recorded.case}"]
    assert judged["status"] == 200
    parsed = PLATFORM.parse(stamped(recorded.case, CREDENTIALS, 1), CREDENTIALS, NOW)
    if isinstance(parsed, Messages):
        assert judged["given"] == parsed.messages[0].id


@pytest.mark.parametrize("what", CHANGES)
def test_one_change_is_refused_by_both(what: str) -> None:
    """Body, signature, time, nonce, key or token: neither side lets it in."""
    assert verdicts()[f"changed {what}"]["status"] == 500
    assert not accepted(*changed(what))


@pytest.mark.parametrize("words", WORDS)
def test_what_the_librarys_cipher_sealed_we_open(words: str) -> None:
    """With the vendor's key derivation and padding."""
    assert unseal(verdicts()[f"sealed {words}"], KEY) == words.encode()


@pytest.mark.parametrize("name", ["challenge", "sealed.challenge"])
def test_a_challenge_is_answered_as_the_library_answers(name: str) -> None:
    """The same JSON, plain or sealed."""
    recorded = recording("feishu", name)
    parsed = PLATFORM.parse(recorded.webhook, using(recorded), NOW)
    assert isinstance(parsed, Handshake)
    theirs = verdicts()[f"recorded {name}"]["content"]
    assert json.loads(parsed.body) == json.loads(theirs)
