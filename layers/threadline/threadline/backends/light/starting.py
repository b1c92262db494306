"""What ingest does before its first delivery: Lambda starts a function with more of a processor."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from threadline.core.apps import AppSettings
from threadline.core.errors import StoreError

WITHIN: Final = 3.0
"""Seconds after which nothing more is begun; Lambda allows ten for the whole start."""

IN_LAMBDA: Final = "AWS_LAMBDA_FUNCTION_NAME"
KIND: Final = "AWS_LAMBDA_INITIALIZATION_TYPE"
SNAPSHOT: Final = "snap-start"


class Opens(Protocol):
    """A queue that may be connected to ahead of the first message."""

    def open(self) -> None:
        """Connect. Raises StoreUnavailable."""
        ...


class Reads(Protocol):
    """Where secrets are read."""

    def get(self, entry: str) -> object:
        """Read an entry and keep it. Raises StoreUnavailable."""
        ...


def in_lambda(environ: Mapping[str, str]) -> bool:
    """Tell whether Lambda started this process."""
    return IN_LAMBDA in environ


def prepare(
    environ: Mapping[str, str],
    trust: Callable[[], None],
    mailbox: Opens,
    apps: Callable[[], Sequence[AppSettings]],
    secrets: Reads,
) -> None:
    """Load certificates, connect, read settings and the secrets of apps that webhooks come from.

    Nothing outside Lambda; certificates only where it takes a snapshot, into which connections and
    secrets do not belong. Trouble is left to the first delivery.
    https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
    """
    if not in_lambda(environ):
        return
    trust()
    if environ.get(KIND) == SNAPSHOT:
        return
    ends = time.monotonic() + WITHIN
    try:
        mailbox.open()
        for app in apps():
            if app.transport == "webhook" and time.monotonic() < ends:
                secrets.get(f"{app.platform}/{app.app}")
    except StoreError:
        return
