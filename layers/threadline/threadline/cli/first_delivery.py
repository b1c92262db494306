"""Until the first delivery: an app registered, its sender let in, the log watched."""

import argparse
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
from threadline.core.errors import ConfigError, ThreadlineError
from threadline.core.setup import RegistersByForm, Registration, SetsUp
from threadline.local.awaiting import Awaiting

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Compiled
    from threadline.app.world import World
    from threadline.core.setup import Registered

ON_A_STACK: Final = 3.0
"""Seconds between looks at a stack's log, which itself is some seconds behind."""


def register(
    world: "World", codec: RegistersByForm, app: Registration, args: argparse.Namespace, mark: str
) -> Registration:
    """Offer the form, and keep the secrets that the vendor gives for it.

    Without an answer in time the app stays as it is. Raises ThreadlineError.
    """
    from threadline.app import posting
    from threadline.local.registering import Registering

    def exchange(code: str) -> "Registered":
        flow = codec.registered(app, code)
        made = world.calls.run(posting.under_policy(codec, app.credentials, flow))
        _keep(world, app, made)
        return made

    with Registering(mark, exchange).served() as page:
        page.form = codec.form(app, page.back, mark, args.organization)
        print(f"Open {page.url} in a browser on this machine: its button registers the app.")
        print("It is also enough to do it by hand, as above: Ctrl-C ends this.", flush=True)
        try:
            made = page.wait(args.wait)
        except KeyboardInterrupt:
            raise ThreadlineError("stopped; nothing was registered from here") from None
    if made is None:
        print("Nobody pressed the button.")
        return app
    print(f"{made.name} is registered; {', '.join(made.secrets)} are stored.")
    print(f"Install it: {made.install}")
    secrets = {**app.credentials.secrets, **made.secrets}
    return replace(app, credentials=replace(app.credentials, secrets=secrets))


def _keep(world: "World", app: Registration, made: "Registered") -> None:
    """Store a new app's secrets beside those there are; a former webhook secret stays valid."""
    from threadline.cli.entries import Entry
    from threadline.cli.secret_values import merge

    entry = Entry(app.credentials.platform, app.credentials.app)
    stored = world.secrets.get(str(entry), fresh=True)
    outcome = merge(stored, made.secrets, entry.secrets, lambda: chance.token_urlsafe(32))
    world.secrets.put(str(entry), outcome.values)


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
