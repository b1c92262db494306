"""What Discord says of a bot: its intents, its servers, where its interactions go, its commands.

https://docs.discord.com/developers/resources/application#application-object
https://docs.discord.com/developers/interactions/application-commands#get-global-application-commands
"""

from typing import Final

from threadline.core.http import Flow, Lost
from threadline.core.setup import Finding, Registration
from threadline.platforms.discord import api, needs
from threadline.platforms.discord.guide import PORTAL, takes_presses
from threadline.platforms.discord.payload import Fields, number, sections, snowflake, text
from threadline.platforms.discord.refusal import Refused
from threadline.platforms.discord.rest import failure, look
from threadline.platforms.discord.verify import SECRET

GATEWAY: Final = "gateway"
MAY_READ: Final = 1 << 18 | 1 << 19
"""Flags of an application: Message Content Intent, of a verified bot and of a smaller one."""


def examine(app: Registration) -> Flow[tuple[Finding, ...]]:
    """Look at the bot, its application and its commands. Raises PostError."""
    bot = yield from api.identify(app.credentials)
    seen = yield from _asked("/applications/@me", app)
    application = snowflake(seen, "id")
    portal = f"{PORTAL}/{application}"
    findings = [Finding("account", f"is {bot.identity_name}")]
    if app.transport == GATEWAY:
        findings.append(_intent(seen, portal))
    servers = yield from _asked("/users/@me/guilds", app)
    findings.append(_servers(servers, application))
    if takes_presses(app):
        findings += [_key(seen, app, portal), _endpoint(seen, app)]
        commands = yield from _asked(f"/applications/{application}/commands", app)
        findings.append(_commands(commands, app))
    return tuple(findings)


def _asked(path: str, app: Registration) -> Flow[Fields]:
    answer = yield from look(path, app.credentials, path.rpartition("/")[2])
    if isinstance(answer, Refused | Lost):
        raise failure(path, answer, app.credentials, repeatable=True)
    return answer


def _intent(seen: Fields, portal: str) -> Finding:
    if max(number(seen, "flags"), 0) & MAY_READ:
        return Finding("intents", f"{', '.join(needs.INTENTS)} may be asked for")
    remedy = f"{portal}/bot: Privileged Gateway Intents, Message Content Intent on, Save Changes"
    seen_at = "MESSAGE_CONTENT is off: the bot hears no words, and is not let in anew (4014)"
    return Finding("intents", seen_at, remedy)


def _servers(servers: Fields, application: str) -> Finding:
    listed = sections(servers, "list")
    if not listed:
        return Finding("servers", "none", f"invite it: {needs.invitation(application)}")
    short = [one for one in listed if _lacks(one)]
    if not short:
        return Finding("servers", str(len(listed)))
    lack = sorted({name for one in short for name in _lacks(one)})
    seen = f"{len(short)} of {len(listed)} without {', '.join(lack)}"
    remedy = f"the bot's role there, or invite it again: {needs.invitation(application)}"
    return Finding("permissions", seen, remedy)


def _lacks(server: Fields) -> tuple[str, ...]:
    """Name what the bot may not do in a server, of what it needs; an administrator may all."""
    told = text(server, "permissions")
    bits = int(told) if told.isdecimal() else needs.PERMISSION_BITS
    if bits & 1 << 3:
        return ()
    return tuple(name for name, (bit, _) in needs.PERMISSIONS.items() if not bits & bit)


def _key(seen: Fields, app: Registration, portal: str) -> Finding:
    key = text(seen, "verify_key")
    if not key or key.lower() == app.credentials.secret(SECRET).strip().lower():
        return Finding("public key", "is the application's")
    remedy = f"copy it from {portal}/information: {app.store_secrets}"
    return Finding("public key", "is another application's", remedy)


def _endpoint(seen: Fields, app: Registration) -> Finding:
    told = text(seen, "interactions_endpoint_url")
    if not app.url:
        where = f"go to {told}" if told else "go nowhere: they want a public address"
        return Finding("interactions", where, asked=bool(told))
    if told == app.url:
        return Finding("interactions", f"go to {told}")
    seen_at = f"go to {told or 'nowhere'}, and should go to {app.url}"
    return Finding("interactions", seen_at, app.command(f"webhook set {app.name}"))


def _commands(commands: Fields, app: Registration) -> Finding:
    known = {text(one, "name") for one in sections(commands, "list")}
    missing = [name for name in needs.names() if name not in known]
    if not missing:
        return Finding("commands", ", ".join(f"/{name}" for name in needs.names()))
    seen = f"missing {', '.join(f'/{name}' for name in missing)}"
    return Finding("commands", seen, app.command(f"webhook set {app.name}"))
