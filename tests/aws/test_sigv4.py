from datetime import UTC, datetime
from urllib.parse import quote

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from hypothesis import given
from hypothesis import strategies as st

from threadline.backends.light.sigv4 import AwsCredentials, Scope, Unsigned, signed

NOW = st.integers(0, 4_102_444_800)
NAMES = st.text("abcXYZ019-_", min_size=1, max_size=12)
HEADERS = st.dictionaries(
    NAMES.map(lambda name: f"x-amz-{name}".lower()),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30),
    max_size=4,
)
STEPS = st.text(max_size=8).map(lambda step: quote(step, safe="~."))
PATHS = st.lists(STEPS, max_size=5).map(lambda steps: "/" + "/".join(steps))
PAIRS = st.tuples(st.text(max_size=6), st.text(max_size=6)).map(
    lambda pair: "=".join(quote(one, safe="~") for one in pair)
)
CREDENTIALS = st.builds(
    AwsCredentials,
    st.text("ABCDEFGHIJ0123456789", min_size=16, max_size=20),
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=40),
    st.just("") | st.text("abc/+=", min_size=1, max_size=60),
)
SCOPES = st.builds(
    Scope,
    st.sampled_from(["eu-central-1", "us-east-1", "cn-north-1"]),
    st.sampled_from(["sqs", "s3", "secretsmanager", "dynamodb"]),
)
REQUESTS = st.builds(
    Unsigned,
    st.sampled_from(["GET", "POST", "PUT"]),
    st.sampled_from(["sqs.eu-central-1.amazonaws.com", "127.0.0.1:4566"]),
    PATHS,
    st.lists(PAIRS, max_size=4).map("&".join),
    HEADERS,
    st.binary(max_size=200),
)


@given(REQUESTS, CREDENTIALS, SCOPES, NOW)
def test_signatures_are_botocores(
    request: Unsigned, credentials: AwsCredentials, scope: Scope, now: int
) -> None:
    """Every request gets the headers that AWS's own signer gives it, byte for byte."""
    ours = signed(request, credentials, scope, now)
    theirs = signed_by_botocore(request, credentials, scope, now)
    assert {name.lower(): value for name, value in ours.items()} == {
        **{name.lower(): value for name, value in theirs.items()},
        "host": request.host,
    }


def test_credentials_hide_what_is_secret() -> None:
    """Neither the key nor the token shows where credentials are printed."""
    shown = repr(AwsCredentials("AKIA", "the-secret", "the-token"))
    assert "AKIA" in shown
    assert "the-secret" not in shown
    assert "the-token" not in shown


def signed_by_botocore(
    request: Unsigned, credentials: AwsCredentials, scope: Scope, now: int
) -> dict[str, str]:
    """Return the headers after botocore's own signer for that service signed the request."""
    query = f"?{request.query}" if request.query else ""
    theirs = AWSRequest(
        request.method,
        f"https://{request.host}{request.path}{query}",
        headers=dict(request.headers),
        data=request.body,
    )
    keys = Credentials(credentials.access_key, credentials.secret_key, credentials.token or None)
    kind = botocore.auth.S3SigV4Auth if scope.service == "s3" else botocore.auth.SigV4Auth
    with pytest.MonkeyPatch.context() as patch:
        moment = datetime.fromtimestamp(now, UTC).replace(tzinfo=None)
        patch.setattr(botocore.auth, "get_current_datetime", lambda: moment)
        kind(keys, scope.service, scope.region).add_auth(theirs)
    return dict(theirs.headers.items())
