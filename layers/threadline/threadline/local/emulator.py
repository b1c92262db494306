"""The AWS emulator of `make emulator` as this machine sees it: `events/env.json` names it."""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from threadline import wiring
from threadline.backends.clock import SystemClock
from threadline.core.errors import ThreadlineError
from threadline.local.recordings import ENVIRONMENT

ADDRESS: Final = "http://127.0.0.1:4566"
INSIDE: Final = "http://host.docker.internal:4566"
"""The same, as the container sees it in which `sam local` runs a function."""

REGION: Final = "us-east-1"
ENDPOINT: Final = "AWS_ENDPOINT_URL"
_ANSWERS_WITHIN: Final = 2.0


class NoEmulator(ThreadlineError):
    """No emulator answers, or the recordings do not say what would be in it."""


def address(environ: Mapping[str, str] = os.environ) -> str:
    """Give where it answers: AWS_ENDPOINT_URL, else where `make emulator` starts it."""
    return (environ.get(ENDPOINT) or ADDRESS).rstrip("/")


def environment(folder: Path, url: str) -> Mapping[str, str]:
    """Give what functions are told of the resources, the emulator being at an address.

    Raises NoEmulator.
    """
    try:
        told = json.loads((folder / ENVIRONMENT).read_bytes())["IngestFunction"]
        return {name: value.replace(told[ENDPOINT], url) for name, value in told.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise NoEmulator(f"{folder / ENVIRONMENT} does not name an emulator") from None


def ports(folder: Path, url: str) -> wiring.Ports:
    """Open the ports in it. Raises NoEmulator."""
    place = urlsplit(url)
    try:
        socket.create_connection((place.hostname or "", place.port or 80), _ANSWERS_WITHIN).close()
    except (OSError, ValueError):
        raise NoEmulator(
            f"no emulator answers at {url}: start it in another terminal with `make emulator`"
        ) from None
    return wiring.emulator_ports(environment(folder, url), SystemClock(), REGION)
