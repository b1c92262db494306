"""What Telegram says of a bot: its privacy, where its updates go, and how that went lately.

https://core.telegram.org/bots/api#getwebhookinfo
https://core.telegram.org/bots/api#getme
"""

from typing import Final

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow, Lost
from threadline.core.setup import Finding, Registration, lacking
from threadline.platforms.telegram import api
from threadline.platforms.telegram.guide import POLLING
from threadline.platforms.telegram.needs import CONNECTIONS, NEEDS
from threadline.platforms.telegram.payload import Fields, flag, number, section, text
from threadline.platforms.telegram.refusal import Refused

RECENT: Final = 3600.0
"""Seconds for which a delivery that failed is something to do: Telegram never forgets the last."""

_CAUSES: Final = (
    ("401", "the secret is another one"),
    ("403", "the address lets nobody in"),
    ("404", "the app is not configured, is off, or lacks a secret: it has no route"),
    ("5", "Threadline failed, or nothing runs behind the address"),
)


def examine(app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
    """Look at the bot and at the way its updates come. Raises PostError."""
    bot = yield from _asked("getMe", app)
    webhook = yield from _asked("getWebhookInfo", app)
    account = Finding("account", f"is {text(bot, 'username')}; {_privacy(bot)}")
    return (account, *_way(app, webhook, now))


def _asked(method: str, app: Registration) -> Flow[Fields]:
    answer = yield from api.call(method, {}, app.credentials, repeatable=True)
    if isinstance(answer, Refused | Lost):
        raise api.failure(method, answer, app.credentials, repeatable=True)
    result = section(answer, "result")
    if result is None:
        raise PlatformUnavailable(f"Telegram answered {method} without a result")
    return result


def _privacy(bot: Fields) -> str:
    if not flag(bot, "can_join_groups"):
        return "it may not join groups"
    if flag(bot, "can_read_all_group_messages"):
        return "in groups it hears everything (privacy is off)"
    return "in groups it hears what is meant for it (privacy is on)"


def _way(app: Registration, webhook: Fields, now: float) -> tuple[Finding, ...]:
    registered = text(webhook, "url")
    if app.transport == POLLING:
        if not registered:
            return (Finding("updates", f"are kept for polling; {_waiting(webhook)}"),)
        seen = f"go to {registered}, so that polling is refused"
        return (Finding("updates", seen, app.command(f"webhook delete {app.name}")),)
    register = app.command(f"webhook set {app.name}")
    if not registered:
        return (Finding("webhook", "none is registered", register),)
    if app.url and registered != app.url:
        seen = f"is registered as {registered}, and should be {app.url}"
        return (Finding("webhook", seen, register),)
    found = (
        Finding("webhook", f"is {registered}; {_waiting(webhook)}"),
        _events(webhook, register),
        _connections(webhook, register),
        _trouble(webhook, now, register),
    )
    return tuple(one for one in found if one)


def _waiting(webhook: Fields) -> str:
    waiting = number(webhook, "pending_update_count") or 0
    return f"{waiting} waiting" if waiting else "none waiting"


def _events(webhook: Fields, register: str) -> Finding:
    """Compare the kinds of updates; where none are named, Telegram sends these and others."""
    told = webhook.get("allowed_updates")
    kinds = [kind for kind in told if isinstance(kind, str)] if isinstance(told, list) else []
    missing = lacking(NEEDS.events, kinds) if kinds else ()
    if missing:
        return Finding("events", f"missing {', '.join(missing)}", register)
    return Finding("events", ", ".join(kinds) or "all usual ones")


def _connections(webhook: Fields, register: str) -> Finding | None:
    told = number(webhook, "max_connections")
    if told is None or told == CONNECTIONS:
        return None
    seen = f"{told} at once, and should be {CONNECTIONS}: else updates come out of order"
    return Finding("connections", seen, register)


def _trouble(webhook: Fields, now: float, register: str) -> Finding | None:
    """Tell the last delivery that failed, as something to do while it is recent."""
    said, at = text(webhook, "last_error_message"), number(webhook, "last_error_date")
    if not said or at is None:
        return None
    ago = max(now - at, 0.0)
    cause = next((why for code, why in _CAUSES if f"response from the webhook: {code}" in said), "")
    seen = f"{said[:160]}, {ago / 60:.0f} minutes ago" + f" ({cause})" * bool(cause)
    if ago > RECENT:
        return Finding("last failure", seen)
    remedy = f"{register}, which also sends the secret anew" if "401" in said else (
        "let the address answer from outside: is Threadline up, the app on, the tunnel open?"
    )  # fmt: skip
    return Finding("last failure", seen, remedy)
