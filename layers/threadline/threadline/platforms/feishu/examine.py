"""What Feishu says of an app: its bot, and which scopes the organisation granted.

The list of granted scopes wants no scope itself. Which events an app is sent is told only to apps
that may read applications, and Threadline asks for no scope that it needs for nothing else.
https://open.feishu.cn/document/application-v6/scope/list
https://open.feishu.cn/document/ukTMukTMukTM/uAjMxEjLwITMx4CMyETM
"""

from typing import Final

from threadline.core.http import Flow
from threadline.core.setup import Finding, Registration, lacking
from threadline.platforms.feishu import rest
from threadline.platforms.feishu.guide import LONG_CONNECTION, PUBLISH, console
from threadline.platforms.feishu.needs import NEEDS
from threadline.platforms.feishu.payload import Fields, section, sections, text

GRANTED: Final = 1
ACTIVE: Final = 2
STATES: Final = {
    0: "not installed yet",
    1: "switched off by the organisation",
    3: "waits to be switched on",
    4: "waits for an upgrade to be switched on",
    5: "off: its licence ended",
    6: "off: Lark's plan ended or was changed",
}


def examine(app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
    """Look at the bot, its scopes and the way events come. Raises PostError."""
    using = yield from rest.exchange(app.credentials, now)
    asked = rest.of_json("GET", "bot/v3/info", "bot info")
    bot = section(rest.succeeded((yield from rest.call(asked, using)), asked, using), "bot")
    asked = rest.of_json("GET", "application/v6/scopes", "scopes")
    told = rest.succeeded((yield from rest.call(asked, using)), asked, using)
    return (_account(bot, app), _scopes(section(told, "data"), app), _events(app))


def _account(bot: Fields, app: Registration) -> Finding:
    name, state = text(bot, "app_name") or "a bot", bot.get("activate_status")
    if state == ACTIVE or not isinstance(state, int):
        return Finding("account", f"is {name}")
    why = STATES.get(state, f"in state {state}")
    return Finding("account", f"is {name}, {why}", f"{console(app)}: {PUBLISH}")


def _scopes(told: Fields, app: Registration) -> Finding:
    granted = {
        text(one, "scope_name")
        for one in sections(told, "scopes")
        if one.get("grant_status") == GRANTED
    }
    missing = lacking(NEEDS.scopes, granted)
    if not missing:
        return Finding("scopes", f"all {sum(need.usual for need in NEEDS.scopes)}")
    remedy = f"{console(app)}: Permissions & Scopes; then {PUBLISH}"
    return Finding("scopes", f"missing {', '.join(missing)}", remedy)


def _events(app: Registration) -> Finding:
    names = ", ".join(need.name for need in NEEDS.events)
    way = (
        "through persistent connection"
        if app.transport == LONG_CONNECTION
        else f"sent to {app.url or 'your address'}"
    )
    seen = f"Feishu does not tell; see Events & Callbacks: {way}, with {names}"
    return Finding("events", seen, asked=False)
