"""The services of one region as a function's environment names them."""

import ssl
from collections.abc import Mapping
from functools import cached_property
from urllib.parse import urlsplit

from threadline.backends.light.client import Endpoint
from threadline.backends.light.credentials import source
from threadline.backends.light.sigv4 import Scope
from threadline.core.ports import Clock


class Account:
    """Makes endpoints that share credentials and what TLS needs; for one thread.

    Read from the environment: AWS_REGION, credentials, and as overrides AWS_ENDPOINT_URL and
    AWS_ENDPOINT_URL_<SERVICE>.
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
    Raises StoreUnavailable where there are no credentials.
    """

    def __init__(self, environ: Mapping[str, str], clock: Clock) -> None:
        self._region = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION", "")
        self._environ = environ
        self._source = source(environ, clock)
        self._clock = clock
        self._made: list[Endpoint] = []

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return ssl.create_default_context()

    def endpoint(self, service: str, url: str = "") -> Endpoint:
        """Make a service's endpoint: the override's, or at `url`, or the region's own."""
        place = urlsplit(self.override(service) or url or self.regional(service))
        endpoint = Endpoint(
            f"{place.scheme}://{place.netloc}",
            Scope(self._region, service),
            self._source,
            self._clock,
            lambda: self._tls,
        )
        self._made.append(endpoint)
        return endpoint

    def trust(self) -> None:
        """Load the certificates to trust ahead of the first connection, if any is by TLS."""
        if any(endpoint.secure for endpoint in self._made):
            _ = self._tls

    def close(self) -> None:
        """Let the connections of all its endpoints go."""
        for endpoint in self._made:
            endpoint.close()

    def override(self, service: str) -> str:
        """Give the address that the environment has a service answer at, or ""."""
        own = f"AWS_ENDPOINT_URL_{_ENVIRONMENT_NAMES.get(service, service.upper())}"
        return self._environ.get(own) or self._environ.get("AWS_ENDPOINT_URL", "")

    def regional(self, service: str, before: str = "") -> str:
        """Give the address of a service in the region; `before` stands in front of its host."""
        china = ".cn" if self._region.startswith("cn-") else ""
        return f"https://{before}{service}.{self._region}.amazonaws.com{china}"


_ENVIRONMENT_NAMES = {"secretsmanager": "SECRETS_MANAGER"}
