"""The signature on everything Slack sends: HMAC-SHA256 over version, time and raw body.

https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

import hmac
from typing import Final

from threadline.core.errors import DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

SECRET: Final = "signing_secret"  # noqa: S105 - the secret's name
SIGNATURE: Final = "x-slack-signature"
TIME: Final = "x-slack-request-timestamp"
FRESH_FOR: Final = 300.0
"""Seconds for which a signed request is taken, as Slack asks."""


def verify(request: Webhook, credentials: Credentials, now: float) -> None:
    """Accept a request signed with the present or the former secret within five minutes.

    Constant time. Raises SignatureInvalid or DeliveryStale.
    """
    given = request.headers.get(SIGNATURE, "").encode("utf-8", "replace")
    at = request.headers.get(TIME, "")
    secrets = (credentials.secret(SECRET), credentials.secret(f"{SECRET}.previous"))
    expected = [sign(request.body, at, secret).encode() for secret in secrets if secret.strip()]
    if not any([hmac.compare_digest(given, one) for one in expected]):  # noqa: C419 - all compared
        raise SignatureInvalid("X-Slack-Signature is missing or does not match the body")
    if abs(now - signed_at(at)) > FRESH_FOR:
        raise DeliveryStale("X-Slack-Request-Timestamp is more than five minutes away")


def sign(body: bytes, at: str, secret: str) -> str:
    """Give the signature of a body sent at a time."""
    signed = b"v0:" + at.encode("utf-8", "replace") + b":" + body
    return "v0=" + hmac.digest(secret.encode(), signed, "sha256").hex()


def signed_at(at: str) -> float:
    """Read the header's epoch seconds, 0 where it has none."""
    return float(at) if at.isascii() and at.isdecimal() and len(at) <= 12 else 0.0
