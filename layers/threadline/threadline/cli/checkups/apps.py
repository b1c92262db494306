"""Each app: its secrets, and what its platform says of scopes, events and webhook."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from threadline.cli.findings import told
from threadline.cli.known_app import examined, registration
from threadline.core.platform import ReceivesHttp
from threadline.core.setup import Finding, SetsUp

if TYPE_CHECKING:
    from threadline.app.world import World
    from threadline.core.settings import Settings

type Told = tuple[str, bool]
"""The lines of a finding, and whether there is something to do."""


def look(world: "World", settings: "Settings") -> Iterator[Told]:
    """Look at every app that is on."""
    for app in settings.apps:
        codec, entry = world.platform(app.platform), f"{app.platform}/{app.app}"
        if not app.enabled or codec is None:
            continue
        secrets = world.secrets.get(entry, fresh=True)
        asked = registration(app, secrets, settings.public_url, settings.bindings)
        needed = codec.secrets_needed if isinstance(codec, ReceivesHttp) else ()
        missing = [name for name in needed if not secrets.get(name)]
        findings: tuple[Finding, ...]
        if missing and app.transport == "webhook":
            findings = (Finding("secrets", f"no {', '.join(missing)}", asked.store_secrets),)
        elif isinstance(codec, SetsUp):
            findings = examined(world, codec, asked)
        else:
            findings = (Finding("secrets", "are there"),)
        for finding in findings:
            yield told(finding, entry), bool(finding.remedy)
