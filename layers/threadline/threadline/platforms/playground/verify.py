"""The signature on a delivery of the playground: HMAC-SHA256 over its time and body."""

import hmac
from typing import Final

from threadline.core.errors import DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

SECRET: Final = "webhook_secret"  # noqa: S105 - the secret's name
SIGNATURE: Final = "x-playground-signature"
TIME: Final = "x-playground-time"
"""The header with the epoch seconds at which the delivery was signed."""

FRESH_FOR: Final = 300.0


def verify(request: Webhook, credentials: Credentials, now: float) -> None:
    """Accept a delivery signed with the present or the former secret within five minutes.

    Raises SignatureInvalid or DeliveryStale.
    """
    given = request.headers.get(SIGNATURE, "").encode("utf-8", "replace")
    at = request.headers.get(TIME, "")
    secrets = (credentials.secret(SECRET), credentials.secret(f"{SECRET}.previous"))
    expected = [sign(request.body, at, secret).encode() for secret in secrets if secret.strip()]
    if not any([hmac.compare_digest(given, one) for one in expected]):  # noqa: C419 - all compared
        raise SignatureInvalid(f"{SIGNATURE} is missing or does not match the body")
    signed_at = int(at) if at.isascii() and at.isdecimal() and len(at) <= 12 else 0
    if abs(now - signed_at) > FRESH_FOR:
        raise DeliveryStale(f"{TIME} is more than five minutes away")


def sign(body: bytes, at: str, secret: str) -> str:
    """Give the signature of a body at a time."""
    signed = at.encode("utf-8", "replace") + b"." + body
    return "sha256=" + hmac.digest(secret.encode(), signed, "sha256").hex()
