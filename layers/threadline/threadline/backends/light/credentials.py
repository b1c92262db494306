"""Where a function's AWS credentials come from: its environment, or its container's endpoint.

https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
"""

import json
import ssl
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit

from threadline.backends.http_framing import Malformed
from threadline.backends.light.sigv4 import AwsCredentials
from threadline.backends.light.wire import connected, written
from threadline.core.errors import StoreUnavailable
from threadline.core.ports import Clock

EARLY: Final = 300.0
"""Seconds before their end at which credentials are fetched anew."""
TIMEOUT: Final = 2.0
RELATIVE_TO: Final = "http://169.254.170.2"
PLAIN_HOSTS: Final = frozenset(
    {"127.0.0.1", "localhost", "::1", "169.254.170.2", "169.254.170.23", "fd00:ec2::23"}
)

type Source = Callable[[], AwsCredentials]


def source(environ: Mapping[str, str], clock: Clock) -> Source:
    """Find where credentials come from.

    Raises StoreUnavailable, now or when they are asked for, where there are none.
    """
    if environ.get("AWS_ACCESS_KEY_ID") and environ.get("AWS_SECRET_ACCESS_KEY"):
        fixed = AwsCredentials(
            environ["AWS_ACCESS_KEY_ID"],
            environ["AWS_SECRET_ACCESS_KEY"],
            environ.get("AWS_SESSION_TOKEN", ""),
        )
        return lambda: fixed
    relative = environ.get("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI")
    url = RELATIVE_TO + relative if relative else environ.get("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    if not url:
        raise StoreUnavailable("no AWS credentials: neither keys nor a container's endpoint")
    return ContainerCredentials(url, environ, clock)


class ContainerCredentials:
    """Temporary credentials of a container, fetched when first asked for and before they end."""

    def __init__(self, url: str, environ: Mapping[str, str], clock: Clock) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" and parts.hostname not in PLAIN_HOSTS:
            raise StoreUnavailable("the container's credentials endpoint is not on this machine")
        self._parts = parts
        self._environ = environ
        self._clock = clock
        self._kept: AwsCredentials | None = None
        self._ends = 0.0

    def __call__(self) -> AwsCredentials:
        """Give credentials that are good for now. Raises StoreUnavailable."""
        now = self._clock.now()
        if self._kept is None or now > self._ends - EARLY:
            try:
                self._kept, self._ends = self._fetch()
            except StoreUnavailable:
                if self._kept is None or now >= self._ends:
                    raise
        return self._kept

    def _fetch(self) -> tuple[AwsCredentials, float]:
        try:
            answer = json.loads(self._asked())
            ends = datetime.fromisoformat(answer["Expiration"]).timestamp()
            keys = AwsCredentials(answer["AccessKeyId"], answer["SecretAccessKey"], answer["Token"])
        except (OSError, Malformed, ValueError, KeyError, TypeError) as error:
            raise StoreUnavailable(f"the container's credentials: {type(error).__name__}") from None
        return keys, ends

    def _asked(self) -> bytes:
        query = f"?{self._parts.query}" if self._parts.query else ""
        headers = {"Host": self._parts.netloc}
        if token := self._token():
            headers["Authorization"] = token
        request = written("GET", f"{self._parts.path or '/'}{query}", headers)
        connection = connected(self._parts, TIMEOUT, ssl.create_default_context)
        try:
            status, body = connection.call(request)
        finally:
            connection.close()
        if status != 200:
            raise StoreUnavailable(f"the container's credentials: HTTP {status}")
        return body

    def _token(self) -> str:
        token_file = self._environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE")
        if not token_file:
            return self._environ.get("AWS_CONTAINER_AUTHORIZATION_TOKEN", "")
        from pathlib import Path

        return Path(token_file).read_text(encoding="utf-8").strip()
