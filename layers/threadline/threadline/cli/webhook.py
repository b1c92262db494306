"""`threadline webhook`: tell a platform where to call us, or that it need not."""

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from threadline.cli import state
from threadline.core.errors import ThreadlineError

if TYPE_CHECKING:
    from threadline.app.configure.surroundings import Compiled
    from threadline.core.setup import RegistersWebhook
    from threadline.local.webhooks import TelegramWebhook

TELEGRAM = "telegram"


def add(subparsers: Any) -> None:
    """Add the commands."""
    group = subparsers.add_parser("webhook", help="register the address with a platform")
    words = group.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for word, what, run in (
        ("set", "have messages sent to the public address", register),
        ("delete", "have messages kept until they are asked for (polling)", remove),
    ):
        parser = words.add_parser(word, help=what)
        parser.add_argument("app", metavar="PLATFORM[/APP]", help="which bot, such as telegram")
        parser.set_defaults(run=run)


def register(args: argparse.Namespace) -> int:
    """Register the address. Raises ThreadlineError and ConfigError."""
    from threadline import wiring
    from threadline.cli.entries import app
    from threadline.core.setup import RegistersWebhook

    platform, name = app(args.app)
    codec = wiring.platform(platform)
    if isinstance(codec, RegistersWebhook):
        print(_by_api(codec, platform, name))
        return 0
    compiled = state.compiled()
    webhook, path = _webhook(args.app, compiled)
    if not path:
        raise ThreadlineError(
            f"{args.app} is polled: write `transport: webhook` for it in {state.FILE} first"
        )
    public = _public(compiled)
    asyncio.run(webhook.register(public + path))
    print(f"Telegram sends messages to {public}{path}")
    return 0


def remove(args: argparse.Namespace) -> int:
    """Remove the registration. Raises ThreadlineError and ConfigError."""
    webhook, path = _webhook(args.app, state.compiled())
    asyncio.run(webhook.remove())
    print("Telegram keeps messages until they are asked for.")
    if path:
        print(f"{args.app} is configured for a webhook: to poll, take that out of {state.FILE}.")
    return 0


def _by_api(codec: "RegistersWebhook", platform: str, name: str) -> str:
    """Tell the platform over its API, and give what it was told."""
    from threadline.app import posting
    from threadline.app.configure.compile import app_settings
    from threadline.cli.known_app import registration

    compiled, around = state.compiled(), state.surroundings()
    settings = app_settings(state.source(), around, platform, name, state.FILE)
    with state.world() as world:
        secrets = world.secrets.get(f"{platform}/{name}")
        asked = registration(settings, secrets, _public(compiled), compiled.settings.bindings)
        flow = codec.register(asked, world.clock.now())
        return world.calls.run(posting.under_policy(codec, asked.credentials, flow))


def _public(compiled: "Compiled") -> str:
    if not compiled.settings.public_url:
        raise ThreadlineError(
            f"no public address: write `public_url` in {state.FILE}, or set THREADLINE_PUBLIC_URL"
        )
    return compiled.settings.public_url


def _webhook(written: str, compiled: "Compiled") -> tuple["TelegramWebhook", str]:
    """Find the bot and the path its platform calls, "" where it is polled."""
    from threadline.cli.entries import app
    from threadline.local.webhooks import TelegramWebhook

    platform, name = app(written)
    if platform != TELEGRAM:
        how = f"{state.command(f'setup {written}')} prints what belongs there"
        raise ThreadlineError(f"on {platform} that is done on the platform's own pages: {how}")
    settings = compiled.settings.app(platform, name)
    row = next(one for one in compiled.platforms if (one.platform, one.app) == (platform, name))
    if settings is None:
        raise ThreadlineError(f"{written} is off: {row.why}; see {state.command('config check')}")
    with state.ports() as opened:
        secrets = opened.secrets.get(f"{platform}/{name}")
    return TelegramWebhook(settings, secrets), row.webhook
