"""How the light client reaches a server, and its requests as they go over the wire."""

import ssl
from collections.abc import Callable, Mapping
from urllib.parse import SplitResult

from threadline.backends.connection import Connection


def connected(url: SplitResult, timeout: float, tls: Callable[[], ssl.SSLContext]) -> Connection:
    """Connect to the server of an address; `tls` is asked for where that wants it. Raises OSError.

    `timeout` in seconds, to connect and to wait for each part of an answer.
    """
    host, context = url.hostname or "", tls() if url.scheme == "https" else None
    return Connection(host, url.port or (443 if context else 80), timeout, host, context)


def written(method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> bytes:
    """Write a request. Raises ValueError for what would end a line of its head."""
    lines = [
        f"{method} {path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
        "Accept-Encoding: identity",
    ]
    if body or method != "GET":
        lines.append(f"Content-Length: {len(body)}")
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a line end in the head of a request")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
