"""What to click in Discord's Developer Portal.

https://docs.discord.com/developers/quick-start/getting-started
"""

import json
from typing import Final

from threadline.core.setup import Registration, Step
from threadline.platforms.discord import needs, verify
from threadline.platforms.discord.spoken import own_id

PORTAL: Final = "https://discord.com/developers/applications"
YOUR_ID: Final = "APPLICATION_ID"


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do at Discord's, in order."""
    application = own_id(app.credentials) or YOUR_ID
    return (
        Step(f"At {PORTAL}: New Application. On its page Bot: Reset Token, and copy it."),
        Step(
            "There too, Privileged Gateway Intents: Message Content Intent on, Save Changes."
            f" (What is listened for: {', '.join(needs.INTENTS)}.) Public Bot off, where only you"
            " invite it."
        ),
        Step("General Information: copy the Public Key as well; store both:", app.store_secrets),
        Step(
            f"Open this to add it to a server, with: {', '.join(needs.PERMISSIONS)}."
            + " (The Application ID is on General Information.)" * (application == YOUR_ID),
            needs.invitation(application),
        ),
        *_interactions(app, application),
    )  # fmt: skip


def _interactions(app: Registration, application: str) -> tuple[Step, ...]:
    """Say how slash commands and buttons come, which need a public address."""
    if not app.url:
        return (
            Step("Slash commands and buttons come by HTTP: they want a public address, and wait."),
        )
    return (
        Step(
            f"Tell Discord the slash commands, and that interactions go to {app.url} (it tries the"
            " address at once, so the secrets have to be stored before):",
            app.command(f"webhook set {app.name}"),
        ),
        Step(
            "By hand instead: General Information, Interactions Endpoint URL, that address; and the"
            " commands, the bot's token being $TOKEN:",
            registering(application),
        ),
    )


def registering(application: str) -> str:
    """Give the command that registers our slash commands."""
    body = json.dumps(needs.COMMANDS)
    return (
        f"curl -X PUT https://discord.com/api/v10/applications/{application}/commands \\\n"
        '  -H "Authorization: Bot $TOKEN" -H "content-type: application/json" \\\n'
        f"  -d '{body}'"
    )


def takes_presses(app: Registration) -> bool:
    """Tell whether commands and buttons are wanted: there is a key to know them by."""
    return bool(app.credentials.secret(verify.SECRET))
