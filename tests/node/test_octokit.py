"""GitHub's own webhook library agrees with us: on signatures, and on what its examples are."""

import json
import subprocess
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from tests.contract.platforms.github import CREDENTIALS
from tests.events import recordings
from tests.peers import path_of
from threadline.core import wire
from threadline.core.envelope import Arrived
from threadline.core.errors import SignatureInvalid
from threadline.core.message import Handshake, Ignored, Messages, Webhook
from threadline.core.reasons import Reason
from threadline.platforms.github import PLATFORM
from threadline.platforms.github.facts import Event

pytestmark = pytest.mark.node

SCRIPT: Final = Path(__file__).with_name("octokit.mjs")
SECRET: Final = CREDENTIALS.secrets["webhook_secret"]
NOW: Final = 1_790_000_000.0
ENOUGH: Final = 329
"""Payloads that the package had when this was written, for github.com alone."""


@dataclass(frozen=True, slots=True)
class Example:
    """One example payload, signed by the library."""

    name: str
    body: bytes
    signature: str

    @property
    def webhook(self) -> Webhook:
        """The delivery as GitHub would send it."""
        headers = {
            "content-type": "application/json",
            "x-github-event": self.name,
            "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
            "x-hub-signature-256": self.signature,
        }
        return Webhook("POST", "/webhooks/github", {}, headers, self.body)


def octokit(task: str, given: object = None) -> Any:
    """Let the library do a task."""
    command = ["node", str(SCRIPT), task, str(path_of("node")), SECRET]
    done = subprocess.run(
        command, input=json.dumps(given).encode(), capture_output=True, check=True
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    """Give every payload of the package, for github.com and each Enterprise Server."""
    found = octokit("sign")
    return tuple(Example(e["name"], e["body"].encode(), e["signature"]) for e in found)


def test_we_accept_what_the_library_signed(examples: tuple[Example, ...]) -> None:
    """Every example signed by GitHub's library passes; with one byte more it does not."""
    assert len(examples) >= ENOUGH
    for example in examples:
        PLATFORM.verify(example.webhook, CREDENTIALS, NOW)
        with pytest.raises(SignatureInvalid):
            PLATFORM.verify(replace(example.webhook, body=example.body + b" "), CREDENTIALS, NOW)


def test_the_library_accepts_what_we_signed(examples: tuple[Example, ...]) -> None:
    """Every example stamped by us is accepted by GitHub's library, and a changed one refused."""
    ours = [PLATFORM.stamp(example.webhook, CREDENTIALS, NOW) for example in examples]
    given = [delivery(request) for request in ours]
    assert {judged["accepted"] for judged in octokit("verify", given)} == {True}
    wrong = [{**one, "body": one["body"] + " "} for one in given]
    assert {judged["accepted"] for judged in octokit("verify", wrong)} == {False}


def test_every_example_is_read(examples: tuple[Example, ...]) -> None:
    """Each example leads to a message, a handshake, or a reason that fits its event and action."""
    outcomes: Counter[str] = Counter()
    for example in examples:
        action = json.loads(example.body).get("action")
        parsed = PLATFORM.parse(example.webhook, CREDENTIALS, NOW)
        match parsed:
            case Messages((message,)):
                assert (message.event, message.action) == (example.name, action)
                assert message.prompt
                assert message.facts["number"] == message.topic
                assert wire.encode(Arrived(message=message, accepted_at=NOW)).isascii()
            case Messages():
                pytest.fail(f"{example.name}: one delivery is one message")
            case Handshake():
                assert example.name == "ping"
            case Ignored(reason):
                expected = Reason.NO_CONTENT if example.name in {*Event} else Reason.UNKNOWN_EVENT
                assert reason == expected
                assert example.name not in {*Event} or action == "deleted"
        outcomes[type(parsed).__name__] += 1
    assert min(outcomes[kind] for kind in ("Messages", "Handshake", "Ignored")) > 0


def test_the_library_reads_our_recordings() -> None:
    """Each JSON recording is accepted by GitHub's library exactly where it is by us."""
    recorded = [one for one in recordings("github") if "form" not in one.case]
    judged = octokit("verify", [delivery(one.webhook) for one in recorded])
    for one, theirs in zip(recorded, judged, strict=True):
        assert theirs["accepted"] is (one.expect["outcome"] != "refused"), one.case
        if theirs["accepted"]:
            headers = one.webhook.headers
            read = (headers["x-github-event"], headers["x-github-delivery"])
            assert (theirs["name"], theirs["id"]) == read


def delivery(request: Webhook) -> dict[str, str]:
    """Give what the library wants of a request."""
    return {
        "id": request.headers["x-github-delivery"],
        "name": request.headers["x-github-event"],
        "body": request.body.decode(),
        "signature": request.headers["x-hub-signature-256"],
    }
