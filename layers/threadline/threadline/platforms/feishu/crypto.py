"""How Feishu seals a delivery: AES-256-CBC, the key a SHA-256 of the app's Encrypt Key.

`cryptography` is imported here alone, and this module only once something is sealed.
https://open.feishu.cn/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case
"""

import base64
import hashlib
from functools import lru_cache
from typing import Final

from cryptography.hazmat.primitives.ciphers import Cipher, modes
from cryptography.hazmat.primitives.ciphers.algorithms import AES256

_BLOCK: Final = 16


def unseal(sealed: str, key: str) -> bytes | None:
    """Open base64 of initial vector and cipher text; None where it is neither, or another key's."""
    try:
        raw = base64.b64decode(sealed, validate=True)
    except ValueError:
        return None
    if len(raw) < 2 * _BLOCK or len(raw) % _BLOCK:
        return None
    cipher = Cipher(_cipher(key), modes.CBC(raw[:_BLOCK])).decryptor()
    padded = cipher.update(raw[_BLOCK:]) + cipher.finalize()
    padding = padded[-1]
    if not 1 <= padding <= _BLOCK or padded[-padding:] != bytes([padding]) * padding:
        return None
    return padded[:-padding]


def seal(plain: bytes, key: str, vector: bytes) -> str:
    """Seal as Feishu does; `vector` is 16 bytes that never come twice under one key."""
    padding = _BLOCK - len(plain) % _BLOCK
    cipher = Cipher(_cipher(key), modes.CBC(vector)).encryptor()
    sealed = cipher.update(plain + bytes([padding]) * padding) + cipher.finalize()
    return base64.b64encode(vector + sealed).decode()


@lru_cache(maxsize=16)
def _cipher(key: str) -> AES256:
    return AES256(hashlib.sha256(key.encode("utf-8", "replace")).digest())
