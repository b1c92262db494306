"""Each app: its secrets, and what its platform says of scopes, events and webhook."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from threadline.cli import state
from threadline.cli.findings import told
from threadline.cli.known_app import examined, registration
from threadline.cli.watched_log import lately
from threadline.core.errors import ConfigError, StoreUnavailable
from threadline.core.platform import ReceivesHttp
from threadline.core.setup import Finding, Registration, SetsUp

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
        for finding in (*findings, came_lately(asked, world.clock.now())):
            yield told(finding, entry), bool(finding.remedy)


def off() -> Iterator[Finding]:
    """Name the apps that have secrets here and are off, though nobody switched them off."""
    if state.stack.get() and not Path(state.FILE).exists():
        return  # what the stack was pushed is not what would be compiled here
    around = state.surroundings()
    try:
        rows = state.compiled().platforms
    except ConfigError as faults:
        yield Finding(state.FILE, "has faults; what was in force stays", str(faults))
        return
    for row in rows:
        if not row.on and around.secrets(row.platform, row.app) and "switched off" not in row.why:
            yield Finding(f"{row.platform}/{row.app}", "is off", row.why)


def came_lately(app: Registration, now: float) -> Finding:
    """Say out of our own log which events arrived, and what was refused since."""
    from threadline.app.heard import ago, heard
    from threadline.app.meanings import meaning

    platform, name = app.credentials.platform, app.credentials.app
    try:
        found = heard(lately(platform, now), platform, name)
    except StoreUnavailable as error:
        return Finding("arrived", str(error), asked=False)
    if found.refused:
        (reason, at), *_ = sorted(found.refused.items(), key=lambda one: -one[1])
        since = f"refused {ago(now - at)} ago: {meaning(reason)}"
        if found.taken:  # anybody may send something wrong to an address that works
            return Finding("arrived", f"{found.told(now)}; {since}")
        seen = f"nothing was taken; the last was {since}"
        return Finding(
            "arrived",
            seen,
            f"{app.store_secrets}\nthen try it with: {app.command(f'setup {app.name}')}",
        )
    return Finding("arrived", found.told(now) or "nothing that the log still has")
