from dataclasses import replace

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tests.stubs.github import Fault
from tests.unit.github.conftest import Talk
from threadline.core.errors import (
    ConversationGone,
    CredentialsRejected,
    PlatformUnavailable,
    PostError,
    RateLimited,
)
from threadline.core.posting import Credentials, Draft
from threadline.platforms.github import PLATFORM

NONCE = "0123456789abcdef0123456789abcdef"
INSTALLATION = 3141592


@pytest.fixture
def as_app(talk: Talk) -> Talk:
    """Give credentials of an App that is installed on the repository."""
    talk.github.tokens.install(INSTALLATION, "acme/widgets")
    secrets = {"app_id": "990099", "private_key": talk.github.tokens.private_key}
    talk.credentials = replace(talk.credentials, secrets=secrets)
    return talk


def exchanged(talk: Talk) -> Credentials:
    """Exchange the App's key for a token."""
    return talk.run(PLATFORM.exchange(talk.credentials, talk.to, talk.github.state.now))


def test_an_app_gets_a_token_that_posts(as_app: Talk) -> None:
    """The exchanged token posts as the App, and its end is the one GitHub told."""
    credentials = exchanged(as_app)
    as_app.run(PLATFORM.post(Draft("hello"), as_app.to, credentials, NONCE))
    (comment,) = as_app.github.comments("acme/widgets", 42)
    assert comment.author == "acme-coder[bot]"
    assert float(credentials.secret("token_expires_at")) == as_app.github.state.now + 3600


def test_a_token_reaches_one_repository_only(as_app: Talk) -> None:
    """A token for a message of one repository cannot touch another of the same installation."""
    as_app.github.add("acme/secret", 1, repository_id=99)
    as_app.github.tokens.install(INSTALLATION, "acme/widgets", "acme/secret")
    credentials = exchanged(as_app)
    elsewhere = replace(as_app.to, chat="acme/secret", facts={"number": "1"})
    with pytest.raises(ConversationGone):
        as_app.run(PLATFORM.post(Draft("hello"), elsewhere, credentials, NONCE))


def test_without_a_repository_id_the_name_narrows(as_app: Talk) -> None:
    """Where the delivery told no id, the token is narrowed by the repository's name."""
    facts = {name: v for name, v in as_app.to.facts.items() if name != "repository_id"}
    as_app.to = replace(as_app.to, facts=facts)
    exchanged(as_app)
    assert as_app.github.calls[-1].parameters == {"repositories": ["widgets"]}


def test_an_installation_is_looked_up_where_it_is_not_told(as_app: Talk) -> None:
    """A plain webhook does not name the installation: GitHub is asked for it."""
    facts = {name: v for name, v in as_app.to.facts.items() if name != "installation_id"}
    as_app.to = replace(as_app.to, facts=facts)
    assert exchanged(as_app).secret("token").startswith("ghs_")
    assert [call.method for call in as_app.github.calls] == ["GET", "POST"]


def test_a_claim_holds_on_a_skewed_clock(as_app: Talk) -> None:
    """A clock that is half a minute off is no reason to be refused."""
    for skew in (-30, 0, 30):
        now = as_app.github.state.now + skew
        assert as_app.run(PLATFORM.exchange(as_app.credentials, as_app.to, now)).secret("token")


def test_a_key_on_one_line_is_read(as_app: Talk) -> None:
    """A key whose line ends were written as backslash and n is the same key."""
    key = as_app.credentials.secret("private_key").replace("\n", "\\n")
    as_app.credentials = replace(
        as_app.credentials, secrets={**as_app.credentials.secrets, "private_key": key}
    )
    assert exchanged(as_app).secret("token")


@pytest.mark.parametrize("private_key", ["nonsense", "elliptic", "locked"])
def test_an_unusable_key_is_said(as_app: Talk, private_key: str) -> None:
    """A key that cannot sign is the operator's concern; its text is in no error."""
    form = serialization.PrivateFormat.PKCS8
    plain = serialization.NoEncryption()
    keys = {
        "nonsense": "-----BEGIN NONSENSE-----",
        "elliptic": ec.generate_private_key(ec.SECP256R1())
        .private_bytes(serialization.Encoding.PEM, form, plain)
        .decode(),
        "locked": rsa.generate_private_key(65537, 2048)
        .private_bytes(
            serialization.Encoding.PEM, form, serialization.BestAvailableEncryption(b"password")
        )
        .decode(),
    }
    secrets = {**as_app.credentials.secrets, "private_key": keys[private_key]}
    as_app.credentials = replace(as_app.credentials, secrets=secrets)
    with pytest.raises(CredentialsRejected) as raised:
        exchanged(as_app)
    assert "BEGIN" not in str(raised.value)
    assert as_app.github.calls == []


def test_another_apps_key_is_refused(as_app: Talk) -> None:
    """A claim that GitHub cannot verify is a matter of credentials."""
    secrets = {**as_app.credentials.secrets, "app_id": "1"}
    as_app.credentials = replace(as_app.credentials, secrets=secrets)
    with pytest.raises(CredentialsRejected):
        exchanged(as_app)


def test_an_app_that_was_removed_has_nowhere_to_post(as_app: Talk) -> None:
    """Neither an unknown installation nor a repository taken out of it is tried again."""
    as_app.github.add("acme/other", 1, repository_id=5)
    as_app.github.tokens.install(INSTALLATION, "acme/other")
    with pytest.raises(ConversationGone):
        exchanged(as_app)
    as_app.github.tokens.installations.clear()
    with pytest.raises(ConversationGone):
        exchanged(as_app)


@pytest.mark.parametrize(
    ("fault", "means"),
    [
        (Fault.limited(9), RateLimited),
        (Fault.status(500), PlatformUnavailable),
        (Fault.drop("before"), PlatformUnavailable),
        (Fault.status(403, "This installation has been suspended"), CredentialsRejected),
        (Fault.status(201, "not what was asked for"), PlatformUnavailable),
    ],
)
def test_no_token_is_told_apart(as_app: Talk, fault: Fault, means: type[PostError]) -> None:
    """Without a token nothing was posted: what may pass is tried later, the rest is said."""
    as_app.github.fault("POST", "/access_tokens", fault, times=9)
    with pytest.raises(means):
        exchanged(as_app)


def test_a_plain_token_needs_no_exchange(talk: Talk) -> None:
    """Without an App's key the credentials are used as they are, and no call is made."""
    assert exchanged(talk) is talk.credentials
    assert talk.github.calls == []
