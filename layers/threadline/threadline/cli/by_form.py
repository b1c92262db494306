"""Registering an app by the form on a page of this machine, and keeping what its vendor gives."""

import argparse
import secrets as chance
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.setup import RegistersByForm, Registration

if TYPE_CHECKING:
    from threadline.app.world import World
    from threadline.core.setup import Registered
    from threadline.local.registering import Registering

AGAIN: Final = 2.0
"""Seconds between tries to store secrets."""
TRIED_FOR: Final = 900.0
"""Seconds for which they are held to be stored."""


def register(
    world: "World", codec: RegistersByForm, app: Registration, args: argparse.Namespace, mark: str
) -> Registration | None:
    """Offer the form, and keep the secrets that the vendor gives for it; None at Ctrl-C.

    Without an answer in time the app stays as it is. Raises ThreadlineError.
    """
    from threadline.app import posting
    from threadline.local.registering import Registering

    def exchange(code: str) -> "Registered":
        flow = codec.registered(app, code)
        return world.calls.run(posting.under_policy(codec, app.credentials, flow))

    with Registering(mark, exchange).served() as page:
        page.form = codec.form(app, page.back, mark, args.organization)
        stopped = _is_stopped(page, args.wait)
        made = page.end()
    if made is not None:
        app = _kept(world, app, made)
    else:
        print(f"Not registered: {page.refused}" if page.refused else "Nobody pressed the button.")
        if stopped:
            print(f"Once it is done by hand, as above: {app.store_secrets}")
            print(f"Then: {app.command(f'setup {app.name}')}")
    return None if stopped else app


def _is_stopped(page: "Registering", seconds: float) -> bool:
    """Say where the page is and wait for the vendor's answer; tell whether a person ended that."""
    try:
        print(f"Open {page.url} in a browser on this machine: its button registers the app.")
        print("It is also enough to do it by hand, as above: Ctrl-C ends this.", flush=True)
        page.wait(seconds)
    except KeyboardInterrupt:
        print("\nStopping.", flush=True)
        return True
    return False


def _kept(world: "World", app: Registration, made: "Registered") -> Registration:
    """Store what the vendor gave; trouble with that is told, and waited out.

    Raises ThreadlineError, with what to do by hand, where it could not be stored.
    """
    until, told, why = world.clock.now() + TRIED_FOR, "", "stopped"
    try:
        while why := _keep(world, app, made):
            if why != told:
                print(f"{made.name} is registered, but its secrets cannot be stored: {why}")
                print(f"They are held here and tried again every {AGAIN:g} s: make room for them.")
                print("Ctrl-C gives them up.", flush=True)
                told = why
            if world.clock.now() >= until:
                break
            world.clock.sleep(AGAIN)
    except KeyboardInterrupt:
        print()
    if why:
        raise ThreadlineError(f"the secrets of {made.name} are not stored: {why}. {made.lost}")
    print(f"{made.name} is registered; {', '.join(made.secrets)} are stored.")
    print(f"Install it: {made.install}")
    secrets = {**app.credentials.secrets, **made.secrets}
    return replace(app, credentials=replace(app.credentials, secrets=secrets))


def _keep(world: "World", app: Registration, made: "Registered") -> str:
    """Store a new app's secrets beside those there are; a former webhook secret stays valid.

    Gives why that was not possible, "" where it was.
    """
    from threadline.cli.entries import Entry
    from threadline.cli.secret_values import merge

    entry = Entry(app.credentials.platform, app.credentials.app)
    try:
        stored = world.secrets.get(str(entry), fresh=True)
        outcome = merge(stored, made.secrets, entry.secrets, lambda: chance.token_urlsafe(32))
        world.secrets.put(str(entry), outcome.values)
    except StoreError as error:
        return str(error)
    return ""
