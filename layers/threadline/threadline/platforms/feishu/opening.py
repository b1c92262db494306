"""What a delivery says, sealed or plain, and whether its Verification Token is the app's."""

import hmac
from collections.abc import Iterator
from typing import Final

from threadline.core.posting import Credentials
from threadline.platforms.feishu.payload import Fields, decode, section, text

KEY: Final = "encrypt_key"
TOKEN: Final = "verification_token"  # noqa: S105 - the secret's name
SEALED: Final = "encrypt"
"""The one field of a sealed body."""
CHALLENGE: Final = "url_verification"


def values(credentials: Credentials, name: str) -> tuple[str, ...]:
    """Give the present value of a secret and the one before it, as far as they are set."""
    both = (credentials.secret(name), credentials.secret(f"{name}.previous"))
    return tuple([value for value in both if value and not value.isspace()])


def opened(body: bytes, credentials: Credentials) -> Fields | None:
    """Give what the body says; None where nobody can read it, or not with the keys there are."""
    return unsealed(decode(body), credentials)


def unsealed(said: Fields | None, credentials: Credentials) -> Fields | None:
    """Give what a decoded body says: itself where it is plain, None as `opened`."""
    if said is None or SEALED not in said:
        return said
    return next(_unsealed(text(said, SEALED), credentials), None)


def is_sealed(body: bytes) -> bool:
    """Tell whether the body is a sealed one."""
    said = decode(body)
    return said is not None and SEALED in said


def has_token(said: Fields, credentials: Credentials) -> bool:
    """Tell in constant time whether the delivery holds the app's Verification Token."""
    given = text(section(said, "header"), "token") or text(said, "token")
    right = False
    for token in values(credentials, TOKEN):
        right |= hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
    return right


def is_challenge(said: Fields) -> bool:
    """Tell whether Feishu only asks if this address is ours."""
    return text(said, "type") == CHALLENGE


def _unsealed(sealed: str, credentials: Credentials) -> Iterator[Fields]:
    from threadline.platforms.feishu.crypto import unseal

    for key in values(credentials, KEY):
        plain = unseal(sealed, key)
        said = None if plain is None else decode(plain)
        if said is not None:
            yield said
