"""What both drivers do alike: the head and body of a request, and an answer within its limit."""

import functools
import hashlib
import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final
from urllib.parse import SplitResult, quote, urlsplit

import certifi

from threadline.backends.addresses import AddressForbidden
from threadline.core.errors import StoreUnavailable
from threadline.core.http import BlobRef, HttpRequest, HttpResponse, Joined, SaveTo
from threadline.core.ports import Blobs

MOST_BYTES: Final = 32_000_000
"""The longest answer without `save_to`: a thread's state holds its images, turn after turn."""

USER_AGENT: Final = "threadline"
_MOST_DIGITS: Final = 15
_AS_WRITTEN: Final = "%/:?#[]@!$&'()*+,;=~"
_UNFIT: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class TooLarge(Exception):
    """The answer is longer than its limit."""


@dataclass(slots=True)
class Incoming:
    """An answer that is being read; `limit` in bytes."""

    status: int
    headers: Mapping[str, str]
    limit: int
    save_to: SaveTo | None
    _body: bytearray = field(default_factory=bytearray)

    @classmethod
    def begin(
        cls, request: HttpRequest, status: int, headers: Iterable[tuple[bytes, bytes]], most: int
    ) -> "Incoming":
        """Begin with the head of the answer. Raises TooLarge where it announces too much."""
        joined = joined_headers(headers)
        save_to = request.save_to if 200 <= status < 300 else None
        limit = save_to.limit if save_to else most
        length = joined.get("content-length", "")
        if length.isdecimal() and (len(length) > _MOST_DIGITS or int(length) > limit):
            raise TooLarge
        return cls(status, joined, limit, save_to)

    def add(self, chunk: bytes) -> None:
        """Take a piece of the body. Raises TooLarge at the first byte over the limit."""
        if len(self._body) + len(chunk) > self.limit:
            raise TooLarge
        self._body += chunk

    def finish(self, blobs: Blobs) -> HttpResponse:
        """Give the whole answer; the body of a success goes to the blob it was asked for."""
        if self.save_to is None:
            return HttpResponse(self.status, self.headers, bytes(self._body))
        mime = self.headers.get("content-type", "application/octet-stream")
        saved = blobs.put(self.save_to.name, bytes(self._body), mime)
        saved = replace(saved, sha256=hashlib.sha256(self._body).hexdigest())
        return HttpResponse(self.status, self.headers, saved=saved)


@functools.cache
def tls_context() -> ssl.SSLContext:
    """Give the context that trusts this machine's certificate authorities and Mozilla's."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(["http/1.1"])
    return context


def split_url(url: str) -> SplitResult:
    """Take an address apart, its path and query fit for the wire. Raises AddressForbidden."""
    try:
        parts = urlsplit(url)
        (parts.hostname or "").encode("ascii").decode().encode("idna")  # as a look-up wants it
        _ = parts.port
    except ValueError:
        raise AddressForbidden("not an address") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise AddressForbidden("not an address of HTTP")
    path, query = (quote(part, safe=_AS_WRITTEN) for part in (parts.path or "/", parts.query))
    return parts._replace(path=path, query=query, fragment="")


def joined_headers(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    """Give header names in lower case; what was sent several times is joined by commas."""
    joined: dict[str, str] = {}
    for name, value in headers:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        joined[key] = f"{joined[key]}, {text}" if key in joined else text
    return joined


def outgoing(request: HttpRequest, blobs: Blobs) -> tuple[bytes, ...]:
    """Read the parts of a request's body. Raises StoreUnavailable where a blob is gone."""
    match request.body:
        case bytes() as body:
            return (body,) if body else ()
        case BlobRef() as ref:
            return (_read(ref, blobs),)
        case Joined(parts=parts):
            return tuple(p if isinstance(p, bytes) else _read(p, blobs) for p in parts)


def headers_for(request: HttpRequest, length: int) -> dict[str, str]:
    """Give the headers as they are sent; answers are asked for uncompressed."""
    headers = {"user-agent": USER_AGENT, "accept": "*/*", "accept-encoding": "identity"}
    headers.update({name.lower(): value for name, value in request.headers.items()})
    if length or request.method not in {"GET", "DELETE"}:
        headers["content-length"] = str(length)
    return headers


def head_for(request: HttpRequest, url: SplitResult, length: int, **more: str) -> bytes:
    """Write the head of a request as it goes over the wire; `more` are headers of the connection.

    Raises AddressForbidden for one that no request can carry.
    """
    host = f"[{url.hostname}]" if ":" in (url.hostname or "") else url.hostname
    headers: Mapping[str, str] = {
        "host": f"{host}:{url.port}" if url.port else str(host),
        **more,
        **headers_for(request, length),
    }
    target = f"{url.path}?{url.query}" if url.query else url.path
    lines = [f"{request.method} {target} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    encoded = [line.encode() for line in lines]
    if any(_UNFIT.search(line) for line in encoded):
        raise AddressForbidden("a header or an address that no request can carry")
    return b"\r\n".join([*encoded, b"", b""])


def _read(ref: BlobRef, blobs: Blobs) -> bytes:
    body = blobs.get(ref.name)
    if body is None:
        raise StoreUnavailable(f"blob {ref.name} is gone")
    return body
