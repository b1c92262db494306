"""`threadline admit`: a line that lets whoever sends it to the bot talk to it."""

import argparse
import secrets
from typing import Any

from threadline.cli import state
from threadline.core.errors import StoreError, ThreadlineError
from threadline.core.ports import ItemStore


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser("admit", help="let a person talk to the bot")
    parser.add_argument("app", metavar="PLATFORM[/APP]", help="which bot, such as telegram")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Make a code and print its line. Raises ThreadlineError."""
    from threadline.app.admission import CODE_BYTES, CODE_LIFETIME, make_code
    from threadline.app.configure.kinds import KINDS
    from threadline.cli.entries import app

    platform, name = app(args.app)
    if "admitted" not in KINDS[platform].may_allow:
        raise ThreadlineError(f"on {platform} nobody is let in by a code; see `allow` in the guide")
    with state.ports() as opened:
        code, change = make_code(
            platform, name, secrets.token_bytes(CODE_BYTES), opened.clock.now()
        )  # fmt: skip
        opened.store.write([change])
        closed = _closed(opened.store, platform, name)
    if closed:
        print(f"No binding of {platform}/{name} lets anybody in by a code, so this has no effect")
        print(f"until one does (`allow: {{admitted: true}}`): {state.command('config check')}")
    print(
        f"Send this to the bot in private, within {CODE_LIFETIME / 60:.0f} minutes; it works once:"
    )
    print(f"/start {code}")
    return 0


def _closed(store: ItemStore, platform: str, name: str) -> bool:
    """Tell whether bindings are there and none of them takes codes."""
    from threadline.app.settings_items import load_settings

    try:
        bindings = load_settings(store).bindings
    except StoreError:
        return False
    own = [one for one in bindings if (one.platform, one.app) == (platform, name)]
    return bool(own) and not any(one.allow.admitted for one in own)
