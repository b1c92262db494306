"""`threadline pause` and `threadline resume`: switch a platform, an app or a binding off and on."""

import argparse
from typing import Any

from threadline.cli import state
from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.ports import ItemStore

BINDING = "binding/"
HELP = "PLATFORM, PLATFORM/APP or binding/NAME"


def add(subparsers: Any) -> None:
    """Add the commands."""
    pausing = subparsers.add_parser("pause", help="accept messages but start nothing")
    pausing.add_argument("target", nargs="?", help=f"{HELP}; without one, what is paused is listed")
    pausing.set_defaults(run=pause)
    resuming = subparsers.add_parser("resume", help="end a pause")
    resuming.add_argument("target", help=HELP)
    resuming.set_defaults(run=resume)


def pause(args: argparse.Namespace) -> int:
    """Pause the target, or list what is paused. Raises ThreadlineError."""
    from threadline.app import settings_items

    with state.ports() as opened:
        if args.target is None:
            print(*(sorted(settings_items.paused(opened.store)) or ["nothing is paused"]), sep="\n")
            return 0
        target = _known(args.target, opened.store)
        settings_items.pause(opened.store, target, opened.clock.now())
    print(f"{target} is paused within {settings_items.KEPT:.0f} s: messages start nothing.")
    print(f"To end it: {state.command(f'resume {target}')}")
    return 0


def resume(args: argparse.Namespace) -> int:
    """End the pause of the target. Raises ThreadlineError where there is none."""
    from threadline.app import settings_items

    with state.ports() as opened:
        if not settings_items.resume(opened.store, args.target):
            there = ", ".join(sorted(settings_items.paused(opened.store))) or "nothing"
            raise ThreadlineError(f"{args.target} is not paused; paused: {there}")
    print(f"{args.target} goes on within {settings_items.KEPT:.0f} s.")
    return 0


def _known(target: str, store: ItemStore) -> str:
    """Check that there is such a thing, so that a slip of the pen pauses nothing in silence."""
    from threadline.app.configure.faults import nearest
    from threadline.app.settings_items import load_settings
    from threadline.cli.entries import app

    if not target.startswith(BINDING):
        app(target)
        return target
    try:
        bindings = [one.name for one in load_settings(store).bindings]
    except StoreError:
        raise ThreadlineError(f"no bindings are stored yet: {state.storing()}") from None
    name = target.removeprefix(BINDING)
    if name not in bindings:
        raise ThreadlineError(f"no binding is called {name}; {nearest(name, bindings)}")
    return target
