"""`threadline setup`: what a platform wants, ready to paste; then the first delivery is awaited."""

import argparse
import secrets as chance
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, Final

from threadline.cli import state
from threadline.cli.program import as_typed
from threadline.core.errors import ThreadlineError
from threadline.core.setup import RegistersByForm, SetsUp

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Compiled
    from threadline.app.world import World
    from threadline.core.setup import Registration, Step

WAIT: Final = 900.0
WIDTH: Final = 98
PLACEHOLDER: Final = "https://PUBLIC-ADDRESS"
NO_ADDRESS: Final = """\
No public address is known, and {platform} calls one. Either
  - start a tunnel to the address that `{program} serve` prints, such as
    cloudflared tunnel --url http://127.0.0.1:8420   or   ngrok http 8420
    and give what it prints: {program} setup {app} --url https://…
    (serve wants it too: THREADLINE_PUBLIC_URL=https://… {program} serve), or
  - deploy the stack (docs/deploy.md): {program} setup {app} --stack threadline-dev
What follows has {placeholder} where your address belongs.
"""


def add(subparsers: Any) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "setup", help="print what a platform wants, then wait for its first delivery"
    )
    parser.add_argument("app", metavar="PLATFORM[/APP]", help="such as slack")
    parser.add_argument("--url", default="", help="the public address, or the whole webhook URL")
    parser.add_argument(
        "--wait", type=_seconds, default=WAIT, metavar="SECONDS",
        help=f"how long to wait for the first delivery (default {WAIT:g}; 0: only print)",
    )  # fmt: skip
    parser.add_argument(
        "--organization", default="", help="whose the new app is to be, where there is a form"
    )
    parser.set_defaults(run=run)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise argparse.ArgumentTypeError(f"{text} is no number of seconds from 0 to 86400")
    return seconds


def run(args: argparse.Namespace) -> int:
    """Print the steps and wait; 1 where nothing arrived. Raises ThreadlineError and ConfigError."""
    from threadline import wiring
    from threadline.cli.entries import app

    platform, name = app(args.app)
    codec = wiring.platform(platform)
    if not isinstance(codec, SetsUp):
        raise ThreadlineError(f"{platform} needs no setup: `{as_typed()} serve` has it")
    compiled = state.compiled()
    asked = _registration(compiled, platform, name, args.url)
    nowhere = asked.transport == "webhook" and not asked.url
    if nowhere:
        asked = _placed(asked, PLACEHOLDER)
        print(NO_ADDRESS.format(
            platform=platform, app=args.app, program=as_typed(), placeholder=PLACEHOLDER
        ))  # fmt: skip
    steps = codec.guide(asked)
    _print(asked, steps)
    if nowhere:
        return 1
    _warn_unused(asked, steps, args.url)
    if not args.wait:
        return 0
    return _wait(asked, codec, compiled, args)


def _registration(compiled: "Compiled", platform: str, name: str, url: str) -> "Registration":
    from threadline.app.configure.compile import app_settings
    from threadline.cli.known_app import registration

    around = state.surroundings()
    app = app_settings(state.source(), around, platform, name, state.FILE)
    settings, secrets = compiled.settings, _secrets(f"{platform}/{name}")
    made = registration(app, secrets, settings.public_url, settings.bindings)
    return _placed(made, _checked(url)) if url else made


def _secrets(entry: str) -> "Mapping[str, str]":
    """Read what is stored, without making a folder for it."""
    if not state.stack.get() and not (Path.cwd() / state.FOLDER).is_dir():
        return {}
    with state.ports() as opened:
        return opened.secrets.get(entry)


def _checked(url: str) -> str:
    """Give an address that a platform can call. Raises ThreadlineError for any other."""
    from urllib.parse import urlsplit

    wrong = ThreadlineError(f"--url wants an address such as https://chat.example.com, not {url}")
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        raise wrong from None
    plain = url.isascii() and url.isprintable() and " " not in url
    if not host or not plain or parts.scheme != "https" or parts.query or parts.fragment:
        raise wrong
    return url.rstrip("/")


def _placed(app: "Registration", address: str) -> "Registration":
    """Give the app under a public address, or under its whole webhook URL."""
    from dataclasses import replace

    from threadline.app.configure.apps import webhook_path

    path = webhook_path(app.credentials.platform, app.credentials.app)
    return replace(app, url=address if address.endswith(path) else address + path)


def _print(app: "Registration", steps: "Sequence[Step]") -> None:
    """Print the steps; what is to be pasted stands alone, from the first column on."""
    print(
        f"{app.name}, by {app.transport}. The guide: docs/platforms/{app.credentials.platform}.md"
    )
    for number, step in enumerate(steps, start=1):
        text = f"{number}. {step.do}"
        print("\n" + fill(text, WIDTH, break_long_words=False, break_on_hyphens=False))
        if step.paste:
            print(f"\n{step.paste}")
    print(flush=True)


def _warn_unused(app: "Registration", steps: "Sequence[Step]", url: str) -> None:
    if url and not any(app.url in step.do or app.url in step.paste for step in steps):
        lines = f"platforms: {{{app.credentials.platform}: {{apps: {{{app.credentials.app}: "
        print(
            f"{app.name} comes by {app.transport}, so that {app.url} is not called. For it, write"
        )
        print(f"{lines}{{transport: webhook}}}}}}}}")


def _wait(
    app: "Registration", codec: SetsUp, compiled: "Compiled", args: argparse.Namespace
) -> int:
    from threadline.cli.by_form import register
    from threadline.cli.first_delivery import first_delivery, offer_code
    from threadline.local.awaiting import Arrival

    with ExitStack() as stack:
        world: World = stack.enter_context(state.world())
        if isinstance(codec, RegistersByForm) and not _is_registered(app):
            made = register(world, codec, app, args, chance.token_urlsafe(32))
            if made is None:
                return 130
            app = made
        offer_code(world, app, compiled)
        awaiting = stack.enter_context(first_delivery(world, codec, app))
        print(
            f"Waiting for the first delivery, {args.wait:g} s at most; Ctrl-C ends it.", flush=True
        )
        try:
            came = awaiting(args.wait)
        except KeyboardInterrupt:
            print(f"\nStopped waiting. {awaiting.summary}")
            return 130
        print(awaiting.summary)
        return 0 if came in {Arrival.ARRIVED, Arrival.ANSWERED} else 1


def _is_registered(app: "Registration") -> bool:
    """Tell whether the secrets are there by which an app posts."""
    from threadline.app.configure.bindings import can_post
    from threadline.app.configure.kinds import KINDS

    present = frozenset(name for name, value in app.credentials.secrets.items() if value)
    return can_post(KINDS[app.credentials.platform], present)
