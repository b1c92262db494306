"""How an App is registered by its manifest, and what is left to click.

https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/registering-a-github-app
"""

import json

from threadline.core.setup import Registration, Step
from threadline.platforms.github import registering
from threadline.platforms.github.needs import NEEDS, PERMISSIONS


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do at GitHub's, in order."""
    said = json.dumps(registering.manifest(app), indent=2)
    events = ", ".join(need.name for need in NEEDS.events)
    permissions = ", ".join(f"{name}: {access}" for name, access in PERMISSIONS.items())
    pages = f"{registering.site(app.credentials)}/settings/apps"
    return (
        Step(
            "The App's manifest. GitHub takes it from a form, which this command offers while it"
            " waits:",
            said,
        ),
        Step(
            f"By hand instead: {pages}/new; Webhook URL {app.url}; Repository permissions"
            f" {permissions}; Subscribe to events {events}; then Generate a private key, and store"
            " its file, the App ID and a webhook secret that you write on both sides:",
            app.store_secrets,
        ),
        Step(f"Install it on the repositories where it shall answer ({pages}, the App, Install)."),
        *_named(app),
        *_bound(app),
    )  # fmt: skip


def _named(app: Registration) -> tuple[Step, ...]:
    """Say where the bot's own login is written: it never answers itself."""
    if app.credentials.identity_name:
        return ()
    name = app.credentials.app
    lines = f'platforms: {{github: {{apps: {{{name}: {{identity_name: "THE-APP[bot]"}}}}}}}}'
    return (Step("Write its login into threadline.yaml, the App's name in its address:", lines),)


def _bound(app: Registration) -> tuple[Step, ...]:
    if app.places:
        return ()
    lines = (
        "bindings:\n  mine: {platform: github, agent: THE_AGENT, repositories: [OWNER/NAME],"
        " mention_login: THE-APP}"
    )
    return (Step("GitHub answers nobody until a binding names repositories:", lines),)
