"""Signed calls to AWS over a connection that is kept, with nothing but the standard library."""

import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from threadline.backends.connection import Connection
from threadline.backends.http_framing import Malformed
from threadline.backends.light.credentials import Source
from threadline.backends.light.sigv4 import Scope, Unsigned, signed
from threadline.backends.light.wire import connected, written
from threadline.core.errors import StoreUnavailable
from threadline.core.json import JsonObject
from threadline.core.ports import Clock

TIMEOUT: Final = 0.7
"""Seconds to connect or to wait for an answer: three tries fit into a webhook's three seconds."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What AWS answered."""

    status: int
    body: bytes = field(repr=False)

    def error(self) -> str:
        """Name the error by its code, or else by the HTTP status."""
        code = self._object().get("__type")
        return code.rpartition("#")[2] if isinstance(code, str) else f"HTTP {self.status}"

    def content(self, what: str) -> JsonObject:
        """Give the JSON object answered. Raises StoreUnavailable where it is an error."""
        if self.status != 200:
            raise StoreUnavailable(f"{what}: {self.error()}")
        return self._object()

    def _object(self) -> JsonObject:
        try:
            read = json.loads(self.body)
        except ValueError:
            return {}
        return read if isinstance(read, dict) else {}


class Endpoint:
    """One service's endpoint, for calls that may be repeated without harm. For one thread.

    A call on a kept connection that turns out to have been closed is sent once more on a new one,
    as long as nothing was answered. `tls` is asked for when the first connection is made.
    """

    def __init__(
        self,
        url: str,
        scope: Scope,
        source: Source,
        clock: Clock,
        tls: Callable[[], ssl.SSLContext],
    ) -> None:
        self._url = urlsplit(url)
        self._scope = scope
        self._source = source
        self._clock = clock
        self._tls = tls
        self._kept: Connection | None = None

    @property
    def secure(self) -> bool:
        """Whether it is reached by TLS."""
        return self._url.scheme == "https"

    def open(self) -> None:
        """Connect, so that the first call need not. Raises StoreUnavailable."""
        if self._kept is None:
            try:
                self._kept = self._new()
            except OSError as error:
                raise self._lost(error) from None

    def close(self) -> None:
        """Let the kept connection go; a later call makes a new one."""
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def call(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """Send a signed request and give the answer, whatever its status.

        Raises StoreUnavailable where there is none; the call may have taken effect.
        """
        unsigned = Unsigned(method, self._url.netloc, path, headers=headers, body=body)
        sent = signed(unsigned, self._source(), self._scope, self._clock.now())
        request = written(method, path, sent, body)
        kept, self._kept = self._kept, None
        try:
            if kept is not None:
                try:
                    return self._exchange(kept, request)
                except ConnectionError:
                    pass  # closed while it was not used
            return self._exchange(self._new(), request)
        except (OSError, Malformed) as error:
            raise self._lost(error) from None

    def json(self, target: str, version: str, body: Mapping[str, object]) -> Answered:
        """Make one call of AWS's JSON protocol."""
        headers = {"Content-Type": f"application/x-amz-json-{version}", "X-Amz-Target": target}
        return self.call("POST", "/", headers, json.dumps(body).encode())

    def _exchange(self, connection: Connection, request: bytes) -> Answered:
        try:
            answered = Answered(*connection.call(request))
        except (OSError, Malformed):
            connection.close()
            raise
        if connection.lasts:
            self._kept = connection
        else:
            connection.close()
        return answered

    def _new(self) -> Connection:
        return connected(self._url, TIMEOUT, self._tls)

    def _lost(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f"{self._scope.service}: {type(error).__name__}")
