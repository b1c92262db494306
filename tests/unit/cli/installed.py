"""An installation in a folder: its stored settings and secrets, as `serve` leaves them."""

import functools
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.stubs.serving import Answer, Served
from threadline import wiring
from threadline.app.configure.compile import compile_settings
from threadline.app.configure.surroundings import Surroundings
from threadline.app.settings_items import store_settings

NAMESPACE = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
PUBLIC = "https://chat.example.com"


class NoAgent(Served):
    """A server that is no agent, and says so at once."""

    def respond(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer that nothing is here."""
        del method, target, headers, body
        return Answer(404, {"detail": "Not Found"})


@functools.cache
def no_agent() -> str:
    """Give the address of a server that is no agent; it ends with the process."""
    return NoAgent().__enter__().url


def store(
    folder: Path, source: str, secrets: Mapping[str, Mapping[str, str]], agent: str = ""
) -> None:
    """Store what a file means beside these secrets, and the file itself."""
    (folder / "threadline.yaml").write_text(source, encoding="utf-8")
    around = Surroundings(
        namespace=NAMESPACE, agent_url=agent or no_agent(), local=True,
        present={entry: frozenset(values) for entry, values in secrets.items()},
    )  # fmt: skip
    settings = compile_settings(source.encode(), around, "threadline.yaml").settings
    local = wiring.local_ports(folder / ".threadline")
    try:
        store_settings(local.ports.store, settings, local.ports.clock.now())
        for entry, values in secrets.items():
            local.ports.secrets.put(entry, dict(values))
    finally:
        local.close()


def one_app(platform: str, url: str, more: Mapping[str, Any] | None = None) -> str:
    """Write a file with one app at a stub, and a public address."""
    app = {"base_url": url, **(more or {})}
    return json.dumps({"public_url": PUBLIC, "platforms": {platform: {"apps": {"default": app}}}})
