"""Until the first delivery: its sender let in, the log watched."""

import secrets as chance
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from threadline.cli import state
from threadline.cli.findings import told
from threadline.cli.known_app import examined
from threadline.cli.watched_log import from_now_on
from threadline.core.errors import ConfigError
from threadline.core.setup import Registration, SetsUp
from threadline.local.awaiting import Awaiting

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Compiled
    from threadline.app.world import World

ON_A_STACK: Final = 3.0
"""Seconds between looks at a stack's log, which itself is some seconds behind."""


def offer_code(world: "World", app: Registration, compiled: "Compiled") -> None:
    """Print the line that lets its sender in, where people need one and nobody is in yet."""
    from threadline.app.admission import CODE_BYTES, CODE_LIFETIME, anybody_in, make_code
    from threadline.app.configure.kinds import KINDS

    platform, name = app.credentials.platform, app.credentials.app
    own = [
        one.allow
        for one in compiled.settings.bindings
        if (one.platform, one.app) == (platform, name)
    ]
    wanted = any(allow.admitted for allow in own) if own else KINDS[platform].allow.admitted
    if not wanted or anybody_in(world.store, platform, name):
        return
    now = world.clock.now()
    code, change = make_code(platform, name, chance.token_bytes(CODE_BYTES), now)
    world.store.write([change])
    minutes = f"{CODE_LIFETIME / 60:.0f} minutes"
    print(f"Nobody may talk to {app.name} yet. Send it in private, within {minutes}:")
    print(f"\n/start {code}\n")


@contextmanager
def first_delivery(world: "World", codec: SetsUp, app: Registration) -> Iterator[Awaiting]:
    """Open the log, and give what waits for a delivery of the app. Raises ThreadlineError."""
    from threadline.app.explain import Explain

    with from_now_on(app.credentials.platform, world.clock.now()) as lines:
        yield Awaiting(
            app=app,
            lines=lines,
            journey=lambda delivery: Explain(world.store, lines).journey(delivery),
            hindrances=lambda: _hindrances(world, codec, app),
            clock=world.clock,
            say=lambda line: print(line, flush=True),
            look_every=ON_A_STACK if state.stack.get() else 0.3,
        )


def _hindrances(world: "World", codec: SetsUp, app: Registration) -> Iterator[str]:
    """Tell what is not ready yet, as far as it can be seen from here."""
    yield from _not_running(app)
    platform, name = app.credentials.platform, app.credentials.app
    if off := _why_off(platform, name):
        yield f"Not yet: {app.name} is off: {off}"
        return
    if state.stack.get() and world.settings().app(platform, name) is None:
        yield f"Not yet: the stack does not know {app.name}: {app.command('config push')}"
        return
    with state.ports() as opened:
        secrets = opened.secrets.get(f"{platform}/{name}")
    asked = replace(app, credentials=replace(app.credentials, secrets=secrets))
    for finding in examined(world, codec, asked):
        yield told(finding, app.name)


def _not_running(app: Registration) -> Iterator[str]:
    from threadline.local.folder import StateFolder

    if not state.stack.get() and StateFolder(Path.cwd() / state.FOLDER).serving() is None:
        yield f"Not yet: nothing runs in this folder. In another terminal: {app.command('serve')}"


def _why_off(platform: str, name: str) -> str:
    """Say why the configuration has the app off, "" where it is on."""
    try:
        rows = state.compiled().platforms
    except ConfigError as faults:
        return f"{state.FILE} has faults:\n{faults}"
    row = next((one for one in rows if (one.platform, one.app) == (platform, name)), None)
    if row is None:
        return f"neither {state.FILE} nor any secret names it"
    return "" if row.on else row.why
