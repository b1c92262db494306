"""The installation of the working directory: its state folder and its configuration file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from threadline.cli.program import as_typed
from threadline.core.errors import ConfigError, Fault

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Surroundings
    from threadline.wiring import Ports

FOLDER = ".threadline"
FILE = "threadline.yaml"
SECRETS = f"{FOLDER}/secrets.json"
NO_NAMESPACE = "00000000-0000-0000-0000-000000000000"
DEMO = "http://127.0.0.1"
"""Stands for the demo agent, which has no address until it runs."""


@contextmanager
def ports() -> Iterator["Ports"]:
    """Open the stores of the working directory. Raises StoreError."""
    from threadline import wiring

    local = wiring.local_ports(Path.cwd() / FOLDER)
    try:
        yield local.ports
    finally:
        local.close()


def read(path: Path) -> bytes:
    """Read a configuration file, no more of it than the compiler takes. Raises ConfigError."""
    from threadline.app.configure.tree import MAX_BYTES

    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError([Fault(str(path), f"cannot be read: {error.strerror}")]) from None


def surroundings() -> "Surroundings":
    """Tell what stands round the file here, without making anything."""
    from threadline.app.configure.surroundings import Surroundings

    present: dict[str, frozenset[str]] = {}
    if (Path.cwd() / FOLDER).is_dir():
        with ports() as opened:
            for entry in opened.secrets.entries():
                values = opened.secrets.get(entry)
                present[entry] = frozenset(name for name, value in values.items() if value)
    return Surroundings(
        namespace=NO_NAMESPACE,
        present=present,
        agent_url=os.environ.get("THREADLINE_AGENT_URL", ""),
        public_url=os.environ.get("THREADLINE_PUBLIC_URL", ""),
        demo_url=DEMO,
        local=True,
        program=as_typed(),
    )
