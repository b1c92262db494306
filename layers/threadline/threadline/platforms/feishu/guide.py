"""What to click in Feishu's developer console, or Lark's.

https://open.feishu.cn/document/develop-process/self-built-application-development-process
https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
"""

import json
from typing import Final

from threadline.core.setup import Registration, Step
from threadline.platforms.feishu.needs import NEEDS
from threadline.platforms.feishu.rest import DOMAIN, FEISHU, HOSTS

LONG_CONNECTION: Final = "long_connection"
PUBLISH: Final = "Version Management & Release: Create version, publish it"


def console(app: Registration) -> str:
    """Give the address of the developer console that the app is made in."""
    return f"https://{HOSTS.get(app.credentials.options.get(DOMAIN, ''), FEISHU)}/app"


def bulk_import() -> str:
    """Give the scopes as Permissions & Scopes, Bulk import takes them."""
    names = [need.name for need in NEEDS.scopes if need.usual]
    return json.dumps({"scopes": {"user": [], "tenant": names}}, indent=2)


def guide(app: Registration) -> tuple[Step, ...]:
    """Say what to do in the console, in order."""
    return (
        Step(f"At {console(app)}: Create Custom App; Add Features: Bot."),
        Step("Permissions & Scopes, Bulk import:", bulk_import()),
        Step(
            "Store App ID and App Secret (Credentials & Basic Info)"
            + _webhook_secrets(app) + ":", app.store_secrets,
        ),
        *(_connection(app) if app.transport == LONG_CONNECTION else _webhook(app)),
        Step(f"Events & Callbacks, Add Events: {', '.join(need.name for need in NEEDS.events)}."),
        Step("Callbacks of cards (Callback configuration) stay empty: none is needed."),
        Step(f"{PUBLISH}: only then do scopes, events and the way of receiving count."),
    )  # fmt: skip


def _webhook_secrets(app: Registration) -> str:
    if app.transport == LONG_CONNECTION:
        return ""
    return (
        ", Verification Token and an Encrypt Key that you make there (Events & Callbacks,"
        " Encryption strategy)"
    )


def _connection(app: Registration) -> tuple[Step, ...]:
    """Say how the long connection is chosen: the console takes it only while it is open."""
    serve = app.command("serve") if not app.suffix else "the long-running task"
    return (
        Step("Feishu's own library holds the connection:", "python3 setup/bootstrap.py lark"),
        Step(
            f"While {serve} says that {app.name} is connected: Events & Callbacks, Event"
            " configuration, Subscription mode: Receive events through persistent connection"
            " (使用长连接接收事件)."
        ),
    )  # fmt: skip


def _webhook(app: Registration) -> tuple[Step, ...]:
    return (
        Step(
            "Events & Callbacks, Event configuration, Subscription mode: Send events to developer's"
            " server (Feishu asks the address at once, so the secrets have to be stored before):",
            app.url,
        ),
    )
