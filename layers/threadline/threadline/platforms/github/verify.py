"""The signature GitHub puts on a delivery.

https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
"""

import hmac
from typing import Final

from threadline.core.errors import SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

SECRET: Final = "webhook_secret"  # noqa: S105 - the secret's name
HEADER: Final = "x-hub-signature-256"


def verify(request: Webhook, credentials: Credentials) -> None:
    """Accept a body signed with the present or the former secret, or raise SignatureInvalid."""
    given = request.headers.get(HEADER, "").encode("utf-8", "replace")
    secrets = (credentials.secret(SECRET), credentials.secret(f"{SECRET}.previous"))
    expected = [sign(request.body, secret).encode() for secret in secrets if secret.strip()]
    if not any([hmac.compare_digest(given, one) for one in expected]):  # noqa: C419 - all compared
        raise SignatureInvalid("X-Hub-Signature-256 is missing or does not match the body")


def sign(body: bytes, secret: str) -> str:
    """Give the header's value for a body."""
    return "sha256=" + hmac.digest(secret.encode(), body, "sha256").hex()
