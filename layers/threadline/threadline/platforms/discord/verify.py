"""The signature on every interaction: Ed25519 over the time and the raw body.

https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint
"""

from typing import Final

from threadline.core.errors import DeliveryStale, SignatureInvalid
from threadline.core.message import Webhook
from threadline.core.posting import Credentials

SECRET: Final = "public_key"  # noqa: S105 - the secret's name
SIGNATURE: Final = "x-signature-ed25519"
TIME: Final = "x-signature-timestamp"
FRESH_FOR: Final = 300.0
"""Seconds for which a signed request is taken; an interaction itself lives for three."""


def verify(request: Webhook, credentials: Credentials, now: float) -> None:
    """Accept a request signed for the app's present or former public key within five minutes.

    Raises SignatureInvalid or DeliveryStale.
    """
    at = request.headers.get(TIME, "")
    signature = _bytes(request.headers.get(SIGNATURE, ""), 64)
    signed = at.encode("utf-8", "replace") + request.body
    keys = (credentials.secret(SECRET), credentials.secret(f"{SECRET}.previous"))
    if not (signature and any(_signs(_bytes(key, 32), signature, signed) for key in keys)):
        raise SignatureInvalid("X-Signature-Ed25519 is missing or does not match the body")
    if abs(now - _time(at)) > FRESH_FOR:
        raise DeliveryStale("X-Signature-Timestamp is more than five minutes away")


def sign(body: bytes, at: str, seed: str) -> str:
    """Give the signature of a body sent at a time; `seed` is a private key of our own, in hex."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(seed))
    return key.sign(at.encode() + body).hex()


def _signs(key: bytes, signature: bytes, signed: bytes) -> bool:
    """Tell whether a key made the signature; no key makes none."""
    if not key:
        return False
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _bytes(written: str, size: int) -> bytes:
    """Read so many bytes written in hex, none where it is anything else."""
    written = written.strip()
    if len(written) != 2 * size or not written.isascii():
        return b""
    try:
        return bytes.fromhex(written)
    except ValueError:
        return b""


def _time(at: str) -> float:
    return float(at) if at.isascii() and at.isdecimal() and len(at) <= 12 else 0.0
