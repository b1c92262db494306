"""What to say to @BotFather, and how updates come.

https://core.telegram.org/bots/features#botfather
"""

from typing import Final

from threadline.core.setup import Registration, Step
from threadline.platforms.telegram.needs import MENU

POLLING: Final = "polling"


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do at Telegram's, in order."""
    menu = "\n".join(f"{command} - {use}" for command, use in MENU.items())
    return (
        Step(
            "Talk to https://t.me/BotFather. It asks for a name, then for a username that ends in"
            " `bot`, and answers with the token:",
            "/newbot",
        ),
        Step(
            "Choose the bot, then Enable: in groups it hears commands, replies to it and mentions."
            " (Disable only where a binding says `mention: false`, and add the bot anew.)",
            "/setprivacy",
        ),
        Step("Choose the bot, then send the lines: they become its menu.", f"/setcommands\n{menu}"),
        Step("Where the bot is not meant for groups: choose it, then Disable.", "/setjoingroups"),
        Step("Store the token that BotFather gave:", app.store_secrets),
        *_named(app),
        *_sent(app),
    )  # fmt: skip


def _named(app: Registration) -> tuple[Step, ...]:
    """Say where the bot's name is written, which `serve` finds out by itself."""
    if app.credentials.identity_name or not app.suffix:
        return ()
    name = app.credentials.app
    lines = f"platforms: {{telegram: {{apps: {{{name}: {{identity_name: THE_USERNAME}}}}}}}}"
    return (Step("Write the username into threadline.yaml, for mentions in groups:", lines),)


def _sent(app: Registration) -> tuple[Step, ...]:
    if app.transport == POLLING:
        return ()
    where = f"Have messages sent to {app.url}:" if app.url else "Have messages sent to the address:"
    return (Step(where, app.command(f"webhook set {app.name}")),)
