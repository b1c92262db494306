"""AWS Signature Version 4, for requests whose headers are known before they are sent.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final
from urllib.parse import quote

ALGORITHM: Final = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class AwsCredentials:
    """Who signs; `token` comes with temporary credentials."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which service's endpoint, and where, a signature is good for."""

    region: str
    service: str


@dataclass(frozen=True, slots=True)
class Unsigned:
    """A request before it is signed: `path` and `query` as they go over the wire, escaped."""

    method: str
    host: str
    path: str = "/"
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)


def signed(
    request: Unsigned, credentials: AwsCredentials, scope: Scope, now: float
) -> Mapping[str, str]:
    """Give the request's headers and those that a signature adds; all of them are signed."""
    at = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    digest = hashlib.sha256(request.body).hexdigest()
    headers = {**request.headers, "Host": request.host, "X-Amz-Date": at}
    if credentials.token:
        headers["X-Amz-Security-Token"] = credentials.token
    if scope.service == "s3":
        headers["X-Amz-Content-SHA256"] = digest
    canonical = sorted((name.lower(), " ".join(value.split())) for name, value in headers.items())
    names = ";".join([name for name, _ in canonical])
    asked = (
        request.method,
        _canonical_path(request.path, scope.service),
        "&".join(sorted(request.query.split("&"), key=_by_name)),
        *[f"{name}:{value}" for name, value in canonical],
        "",
        names,
        digest,
    )
    place = f"{at[:8]}/{scope.region}/{scope.service}/aws4_request"
    what = hashlib.sha256("\n".join(asked).encode()).hexdigest()
    key = _signing_key(credentials.secret_key, place)
    signature = hmac.digest(key, f"{ALGORITHM}\n{at}\n{place}\n{what}".encode(), "sha256").hex()
    headers["Authorization"] = (
        f"{ALGORITHM} Credential={credentials.access_key}/{place},"
        f" SignedHeaders={names}, Signature={signature}"
    )
    return headers


@lru_cache(maxsize=8)
def _signing_key(secret: str, place: str) -> bytes:
    """Derive the key of a day, region and service, which stays the same all day."""
    key = f"AWS4{secret}".encode()
    for part in place.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return key


def _canonical_path(path: str, service: str) -> str:
    # S3 alone takes the path as it is sent; all others want it without dots and escaped once more.
    if service == "s3":
        return path
    kept: list[str] = []
    for step in path.split("/"):
        if step == "..":
            del kept[-1:]
        elif step not in {"", "."}:
            kept.append(step)
    trailing = "/" if kept and path.endswith("/") else ""
    return quote(f"/{'/'.join(kept)}{trailing}", safe="/~")


def _by_name(pair: str) -> tuple[str, str]:
    name, _, value = pair.partition("=")
    return name, value
