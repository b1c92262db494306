"""What doctor says of a GitHub App, of a plain token, and of a Buzz relay."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.stubs.github import GitHubStub
from tests.stubs.nostr_relay import nostr_relay
from tests.unit.buzz.relay import RELAY, US, credentials
from tests.unit.cli.conftest import Command
from tests.unit.cli.installed import PUBLIC, one_app, store
from tests.unit.cli.test_doctor_platforms import Break, told
from threadline.core.bech32 import encode

HOOK = f"{PUBLIC}/webhooks/github"
BINDING = {"platform": "github", "agent": "default", "repositories": ["acme/widgets"]}


def store_app(folder: Path, github: GitHubStub, **secrets: str) -> None:
    """Store settings with one App, which answers in one repository."""
    app = {"identity_name": "acme-coder[bot]"}
    source = json.loads(one_app("github", github.url, app))
    source["bindings"] = {"widgets": BINDING}
    kept = {"webhook_secret": "of-nobody", **secrets}
    store(folder, json.dumps(source), {"github/default": kept})


@pytest.fixture
def github(folder: Path) -> Iterator[GitHubStub]:
    """A GitHub with an App that is installed where it answers, and whose webhook comes here."""
    with GitHubStub() as stub:
        stub.state.now = time.time() + 30
        stub.add("acme/widgets", 42)
        stub.tokens.install(123, "acme/widgets")
        stub.tokens.app.hook["url"] = HOOK
        stub.tokens.app.delivered(200, "OK")
        store_app(
            folder, stub, app_id=stub.tokens.app_id, private_key=stub.tokens.private_key
        )  # fmt: skip
        yield stub


def test_an_app_of_github_that_is_well(threadline: Command, github: GitHubStub) -> None:
    """Login, permissions, events, webhook, deliveries and installations are told."""
    assert github.tokens.app.deliveries
    said = told(threadline, "github/default")
    assert "!!" not in said
    assert "account: is acme-coder[bot]" in said
    assert "permissions: issues:write, pull_requests:write, metadata:read" in said
    assert f"webhook: goes to {HOOK}" in said
    assert "deliveries: the last one was taken (issue_comment)" in said
    assert "installations: on every repository that a binding names" in said


@pytest.mark.parametrize(
    ("broken", "seen", "remedy"),
    [
        (
            lambda a: a.permissions.update(issues="read"),
            "permissions: missing issues:write",
            "/organizations/acme/settings/apps/acme-coder/permissions: Repository permissions",
        ),
        (lambda a: a.events.remove("issues"), "events: missing issues", "Subscribe to events"),
        (
            lambda a: a.hook.update(url="https://old.example.com/webhooks/github"),
            f"goes to https://old.example.com/webhooks/github, and should go to {HOOK}",
            "threadline webhook set github",
        ),
        (lambda a: a.hook.update(insecure_ssl=1), "without verifying TLS", "SSL verification"),
        (
            lambda a: a.delivered(401, "Invalid HTTP Response: 401"),
            "the last 1 failed: 401 Invalid HTTP Response: 401 (the webhook secret is another one",
            "Recent Deliveries, Redeliver",
        ),
        (
            lambda a: [a.delivered(502, "Invalid HTTP Response: 502") for _ in range(3)],
            "the last 3 failed: 502 Invalid HTTP Response: 502 (nothing answered at the address)",
            "Redeliver",
        ),
        (
            lambda a: setattr(a, "slug", "other"),
            "is other[bot], but identity_name is",
            "other[bot]",
        ),
    ],
    ids=["permission", "event", "address", "tls", "secret", "down", "name"],
)
def test_what_is_wrong_with_an_app_of_github(
    threadline: Command, github: GitHubStub, broken: Break[object], seen: str, remedy: str
) -> None:
    """Each thing that is off is named with the page where it is put right."""
    broken(github.tokens.app)
    said = told(threadline, "github/default")
    assert seen in said
    assert remedy in said
    assert "PRIVATE" not in said


def test_an_app_that_is_not_installed(threadline: Command, github: GitHubStub) -> None:
    """A repository that a binding names and that the App is not on is named."""
    github.add("acme/other", 1, repository_id=5)
    github.tokens.installations = {123: frozenset({5})}
    said = told(threadline, "github/default")
    assert "installations: not on acme/widgets" in said
    assert "https://github.com/apps/acme-coder/installations/new" in said
    github.tokens.installations = {}
    assert "installations: none" in told(threadline, "github/default")


def test_another_apps_key(threadline: Command, folder: Path, github: GitHubStub) -> None:
    """A key that is not this App's is refused by GitHub, and the way to store it is told."""
    store_app(folder, github, app_id="1", private_key=github.tokens.private_key)
    said = told(threadline, "github/default")
    assert "could not be decoded" in said
    assert "threadline secrets set github" in said


@pytest.mark.parametrize(
    ("scopes", "seen"),
    [
        ("", "??  github/default permissions: a fine-grained token does not tell them"),
        ("repo, read:org", "ok  github/default permissions: read:org, repo"),
        ("read:org", "!!  github/default permissions: only read:org"),
    ],
    ids=["fine-grained", "classic", "too little"],
)
def test_a_plain_token(threadline: Command, folder: Path, scopes: str, seen: str) -> None:
    """Of a token the account is told, and the scopes where it has any."""
    with GitHubStub() as stub:
        stub.add("acme/widgets", 42)
        token = stub.tokens.plain("acme-coder[bot]", "acme/widgets", scopes=scopes)
        store_app(folder, stub, token=token)
        said = told(threadline, "github/default")
    assert "account: is acme-coder[bot]" in said
    assert seen in said
    assert token not in said


def test_a_relay(threadline: Command, folder: Path) -> None:
    """A relay that lets the key in is told, without channels or files; then it is gone."""
    with nostr_relay(RELAY) as relay:
        key = credentials().secret("private_key")
        secrets = {"buzz/default": {"private_key": key}}
        store(folder, one_app("buzz", relay.url), secrets)
        said = told(threadline, "buzz/default")
        relay.shut()
        gone = told(threadline, "buzz/default")
    assert f"relay: {relay.url} lets it in" in said
    assert "!!  buzz/default channels: none" in said
    assert "have the bot's public key added to a channel" in said
    assert "buzz/default files: neither come nor go: the relay does not answer over HTTP" in said
    assert encode(bytes.fromhex(US.pubkey), "npub") in said
    assert f"!!  buzz/default relay: {relay.url}: buzz look: refused" in gone
    assert key not in said + gone
