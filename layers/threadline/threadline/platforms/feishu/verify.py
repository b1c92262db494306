"""Who may knock: a signature where the app has an Encrypt Key, else its Verification Token.

https://open.feishu.cn/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case
"""

import hashlib
import hmac
from typing import Final

from threadline.core.errors import DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials
from threadline.platforms.feishu.opening import (
    KEY,
    has_token,
    is_challenge,
    is_sealed,
    opened,
    values,
)
from threadline.platforms.feishu.payload import decode

SIGNATURE: Final = "x-lark-signature"
TIMESTAMP: Final = "x-lark-request-timestamp"
NONCE: Final = "x-lark-request-nonce"
FRESH: Final = 8 * 3600.0
"""Seconds a signature stays good. Feishu repeats a delivery over seven hours and does not say that
it signs it anew; within these hours a copy is a duplicate, by its message."""

_LONGEST_CHALLENGE: Final = 4096


def verify(request: Webhook, credentials: Credentials, now: float) -> None:
    """Accept a delivery, or raise SignatureInvalid or DeliveryStale. Constant time.

    With an Encrypt Key everything is signed but the challenge, which then must be sealed. Without
    one the token in the body is all there is. The former key and token stay valid beside new ones.
    """
    if not values(credentials, KEY):
        said = decode(request.body)
        if said is None or not has_token(said, credentials):
            raise SignatureInvalid("the verification token is missing or wrong")
    elif SIGNATURE in request.headers:
        _check_signature(request, credentials, now)
    elif not _is_sealed_challenge(request.body, credentials):
        raise SignatureInvalid("X-Lark-Signature is missing")


def sign(body: bytes, timestamp: str, nonce: str, key: str) -> str:
    """Give the signature that Feishu puts on a body under an Encrypt Key."""
    signed = f"{timestamp}{nonce}{key}".encode("utf-8", "replace") + body
    return hashlib.sha256(signed).hexdigest()


def _check_signature(request: Webhook, credentials: Credentials, now: float) -> None:
    given = request.headers[SIGNATURE].encode("utf-8", "replace")
    timestamp, nonce = request.headers.get(TIMESTAMP, ""), request.headers.get(NONCE, "")
    right = False
    for key in values(credentials, KEY):
        right |= hmac.compare_digest(given, sign(request.body, timestamp, nonce, key).encode())
    if not right:
        raise SignatureInvalid("X-Lark-Signature is wrong")
    if not timestamp.isdecimal() or abs(now - int(timestamp[:12])) > FRESH:
        raise DeliveryStale("X-Lark-Request-Timestamp is too far away")


def _is_sealed_challenge(body: bytes, credentials: Credentials) -> bool:
    if len(body) > _LONGEST_CHALLENGE or not is_sealed(body):
        return False
    said = opened(body, credentials)
    return said is not None and is_challenge(said) and has_token(said, credentials)
