"""What Slack says of an app: whose token it is, which scopes it has, whether sockets open.

Which scopes a token has, every answer of the Web API tells in the header `x-oauth-scopes`. A bot's
token cannot ask for event subscriptions and request URLs: `apps.manifest.export` wants a
configuration token of a person's.
https://docs.slack.dev/reference/methods/auth.test
https://docs.slack.dev/reference/methods/apps.connections.open
https://docs.slack.dev/reference/methods/apps.manifest.export
"""

from typing import Final

from threadline.core.errors import CredentialsRejected
from threadline.core.http import Flow, HttpResponse, Lost, ask
from threadline.core.setup import Finding, Registration, lacking
from threadline.platforms.slack import api, refusal
from threadline.platforms.slack.guide import SOCKET
from threadline.platforms.slack.needs import APP_TOKEN_SCOPE, NEEDS
from threadline.platforms.slack.payload import Fields, section, text
from threadline.platforms.slack.refusal import Refused

SCOPES: Final = "x-oauth-scopes"


def examine(app: Registration) -> Flow[tuple[Finding, ...]]:
    """Look at the token, its scopes and the way events come. Raises PostError."""
    credentials = app.credentials
    answer = yield from ask(api.request("auth.test", credentials))
    said = refusal.read(answer)
    if isinstance(said, Refused | Lost):
        raise api.failure("auth.test", said, credentials, repeatable=True)
    name, team = text(said, "user"), text(said, "team") or text(said, "team_id")
    findings = [Finding("account", f"is {name or 'a bot'} in {team}"), _scopes(answer)]
    if app.transport == SOCKET:
        findings.append((yield from _socket(app)))
    return (*findings, _events(app))


def _scopes(answer: HttpResponse | Lost) -> Finding:
    told = answer.headers.get(SCOPES) if isinstance(answer, HttpResponse) else None
    if told is None:
        return Finding("scopes", "not told with this answer", asked=False)
    missing = lacking(NEEDS.scopes, {one.strip() for one in told.split(",")})
    if not missing:
        return Finding("scopes", f"all {len(NEEDS.scopes)}")
    uses = {need.name: need.use for need in NEEDS.scopes}
    seen = "missing " + ", ".join(f"{name} ({uses[name]})" for name in missing)
    remedy = "OAuth & Permissions, Bot Token Scopes: add them, then Reinstall to Workspace"
    return Finding("scopes", seen, remedy)


def _socket(app: Registration) -> Flow[Finding]:
    """Open a connection's address, which expires unused."""
    request = api.request("apps.connections.open", app.credentials, token="app_token")  # noqa: S106
    said = refusal.read((yield from ask(request)))
    if isinstance(said, Lost):
        raise api.failure("apps.connections.open", said, app.credentials, repeatable=True)
    if not isinstance(said, Refused):
        return Finding("Socket Mode", "on" + _doubt(said))
    problem = api.failure("apps.connections.open", said, app.credentials)
    token = "Basic Information, App-Level Tokens: one with the scope " + APP_TOKEN_SCOPE
    if isinstance(problem, CredentialsRejected):
        return Finding("Socket Mode", str(problem), f"{token}; then: {app.store_secrets}")
    return Finding("Socket Mode", str(problem), "Socket Mode: Enable Socket Mode")


def _doubt(said: Fields) -> str:
    """Pass on Slack's own warning, which it also gives where everything is well."""
    told = section(said, "response_metadata").get("messages")
    warned = isinstance(told, list) and any("not turned on" in str(one) for one in told)
    return "; Slack warns that it is not: if nothing comes, Socket Mode, Enable it" * warned


def _events(app: Registration) -> Finding:
    names = ", ".join(need.name for need in NEEDS.events)
    where = "Event Subscriptions, Subscribe to bot events"
    seen = f"Slack does not tell a bot which it is sent; see {where}: {names}"
    if app.transport != SOCKET:
        seen += f"; Request URL there and under Interactivity: {app.url or 'your address'}"
    return Finding("events", seen, asked=False)
