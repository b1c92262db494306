"""The app manifest, and what is left to click.

https://docs.slack.dev/reference/app-manifest
https://docs.slack.dev/app-manifests/configuring-apps-with-app-manifests
"""

import json
from typing import Final
from urllib.parse import quote

from threadline.core.json import Json, JsonObject
from threadline.core.setup import Registration, Step
from threadline.platforms.slack.needs import APP_TOKEN_SCOPE, COMMAND, NEEDS

APPS: Final = "https://api.slack.com/apps"
SOCKET: Final = "socket"


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do at Slack's, in order."""
    said = manifest(app)
    filled_in = quote(json.dumps(said, separators=(",", ":")), safe="")
    return (
        Step(
            f"At {APPS}: Create New App, From a manifest, choose the workspace, the tab JSON, and"
            " paste this. An app that is there already takes it on its page App Manifest.",
            json.dumps(said, indent=2, ensure_ascii=False),
        ),
        Step(
            "Or open this address, which has it filled in:",
            f"{APPS}?new_app=1&manifest_json={filled_in}",
        ),
        Step("Install App, Install to Workspace."),
        *_secrets(app),
        *_checked(app),
        Step("In Slack, in each channel where it shall answer:", "/invite @threadline"),
    )


def manifest(app: Registration) -> JsonObject:
    """Give the manifest: with Socket Mode, or with the address that Slack is to call."""
    socket = app.transport == SOCKET
    address: dict[str, Json] = {} if socket else {"request_url": app.url}
    command: dict[str, Json] = {
        "command": COMMAND,
        "description": "Ask the agent, or /ask help",
        "usage_hint": "your question, or new, stop, status, help",
        "should_escape": True,
    }
    return {
        "display_information": {"name": "Threadline"},
        "features": {
            "app_home": {"messages_tab_enabled": True, "messages_tab_read_only_enabled": False},
            "bot_user": {"display_name": "threadline", "always_online": True},
            "slash_commands": [command if socket else {**command, "url": app.url}],
        },
        "oauth_config": {"scopes": {"bot": [need.name for need in NEEDS.scopes]}},
        "settings": {
            "event_subscriptions": {**address, "bot_events": [need.name for need in NEEDS.events]},
            "interactivity": {"is_enabled": True, **address},
            "socket_mode_enabled": socket,
            "org_deploy_enabled": False,
            "token_rotation_enabled": False,
        },
    }


def _secrets(app: Registration) -> tuple[Step, ...]:
    bot = "bot_token: OAuth & Permissions, Bot User OAuth Token (xoxb-…)"
    other = (
        "app_token: Basic Information, App-Level Tokens, Generate, with the scope"
        f" {APP_TOKEN_SCOPE} (xapp-…)"
        if app.transport == SOCKET
        else "signing_secret: Basic Information, App Credentials, Signing Secret"
    )
    return (Step(f"Store what Slack made. {bot}; {other}:", app.store_secrets),)


def _checked(app: Registration) -> tuple[Step, ...]:
    """Say how the address is checked: Slack asks it before our secrets can be here."""
    if app.transport == SOCKET:
        return ()
    return (
        Step(
            "Only now Slack's check of the address can be answered: App Manifest, Click here to"
            " verify (or Event Subscriptions, Retry); it turns to Verified."
        ),
    )
