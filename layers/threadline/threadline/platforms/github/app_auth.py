"""A GitHub App's way to a token: a signed claim, exchanged for one repository's token.

https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app
"""

import base64
import json
from dataclasses import replace
from datetime import datetime
from typing import Final

from threadline.core.errors import ConversationGone, CredentialsRejected, PlatformUnavailable
from threadline.core.http import Flow, HttpResponse, Lost
from threadline.core.json import Json, JsonObject
from threadline.core.posting import Credentials, Destination
from threadline.platforms.github import facts, rest

APP_ID: Final = "app_id"
PRIVATE_KEY: Final = "private_key"
CLOCK_SKEW: Final = 60
"""Seconds a claim is dated back, since GitHub refuses one from its own future."""
CLAIM_LIFE: Final = 540
"""Seconds a claim is valid; GitHub refuses more than ten minutes."""


def exchange(credentials: Credentials, to: Destination, now: float) -> Flow[Credentials]:
    """Give credentials for the destination's repository alone, valid until `token_expires_at`.

    Without an App the plain token is given back as it is. Raises PostError.
    """
    if not (credentials.secret(APP_ID) and credentials.secret(PRIVATE_KEY)):
        return credentials
    proof = claim(credentials, now)
    installation = to.facts.get(facts.INSTALLATION) or (
        yield from _installation(credentials, to, proof)
    )
    answer = yield from rest.call(
        "POST",
        f"/app/installations/{installation}/access_tokens",
        credentials,
        _only(to),
        repeatable=True,
        token=proof,
    )
    issued = rest.read(_issued(answer, to, credentials))
    token, ends = rest.field(issued, "token"), _epoch(rest.field(issued, "expires_at"))
    if not isinstance(token, str) or not token or ends is None:
        raise PlatformUnavailable("GitHub: an installation token that cannot be read")
    fresh = {"token": token, "token_expires_at": str(ends)}
    return replace(credentials, secrets={**credentials.secrets, **fresh})


def claim(credentials: Credentials, now: float) -> str:
    """Sign a JSON Web Token (RS256) as the App. Raises CredentialsRejected for an unusable key."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    pem = credentials.secret(PRIVATE_KEY).replace("\\n", "\n").encode()
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise CredentialsRejected("GitHub: private_key is no PEM key without a password") from None
    if not isinstance(key, RSAPrivateKey):
        raise CredentialsRejected("GitHub: private_key is no RSA key")
    begins = int(now) - CLOCK_SKEW
    says: JsonObject = {
        "iat": begins,
        "exp": int(now) + CLAIM_LIFE,
        "iss": credentials.secret(APP_ID).strip(),
    }
    signed = f"{_part({'alg': 'RS256', 'typ': 'JWT'})}.{_part(says)}"
    return f"{signed}.{_url64(key.sign(signed.encode(), PKCS1v15(), hashes.SHA256()))}"


def _installation(credentials: Credentials, to: Destination, proof: str) -> Flow[str]:
    """Look up where the App is installed: a delivery of a plain webhook does not tell."""
    path = f"{rest.of_repository(to)}/installation"
    answer = yield from rest.call("GET", path, credentials, repeatable=True, token=proof)
    number = rest.field(rest.read(_issued(answer, to, credentials)), "id")
    if not isinstance(number, int):
        raise PlatformUnavailable("GitHub: an installation that cannot be read")
    return str(number)


def _issued(answer: HttpResponse | Lost, to: Destination, credentials: Credentials) -> HttpResponse:
    if isinstance(answer, HttpResponse) and answer.status in {404, 422}:
        raise ConversationGone(f"GitHub: the App is not installed on {to.chat} (any more)")
    return rest.succeeded(answer, credentials)


def _only(to: Destination) -> JsonObject:
    """Narrow the token to one repository: it must not reach what the message did not come from."""
    known = to.facts.get(facts.REPOSITORY_ID, "")
    if known.isdigit() and known != "0":
        return {"repository_ids": [int(known)]}
    return {"repositories": [to.chat.partition("/")[2]]}


def _epoch(stamp: Json) -> int | None:
    try:
        return int(datetime.fromisoformat(str(stamp)).timestamp())
    except ValueError:
        return None


def _part(claims: JsonObject) -> str:
    return _url64(json.dumps(claims, separators=(",", ":")).encode())


def _url64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
