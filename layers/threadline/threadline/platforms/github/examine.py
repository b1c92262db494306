"""What GitHub says of an App: its permissions, events, webhook, installations, late failures.

https://docs.github.com/en/rest/apps/apps#get-the-authenticated-app
https://docs.github.com/en/rest/apps/webhooks
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow, HttpResponse
from threadline.core.json import Json
from threadline.core.setup import Finding, Registration, lacking
from threadline.platforms.github import app_auth, registering, rest
from threadline.platforms.github.needs import NEEDS

LATEST: Final = 30
MOST_PLACES: Final = 20
CLASSIC_SCOPES: Final = frozenset({"repo", "public_repo"})
"""Scopes of a classic token that let it comment; a fine-grained one has none to show."""

_CAUSES: Final = {
    401: "the webhook secret is another one, or something changes the body on its way",
    404: "the app is not configured, is off, or lacks its secret: it has no route",
    413: "longer than is taken",
    429: "too many at once",
}


def examine(app: Registration, now: float) -> Flow[tuple[Finding, ...]]:
    """Look at the App, or at the account of a plain token. Raises PostError."""
    secret = app.credentials.secret
    if not (secret(app_auth.APP_ID) and secret(app_auth.PRIVATE_KEY)):
        return (yield from _of_token(app))
    proof = app_auth.claim(app.credentials, now)
    seen = yield from _asked("/app", app, proof)
    hook = yield from _asked("/app/hook/config", app, proof)
    late = yield from _asked(f"/app/hook/deliveries?per_page={LATEST}", app, proof)
    edit = f"{_page(seen, app)}/permissions"
    return (
        _account(seen, app),
        _permissions(seen, edit),
        _events(seen, edit),
        _hook(hook, app, _page(seen, app)),
        _deliveries(late),
        *(yield from _installed(seen, app, proof)),
    )


def _asked(path: str, app: Registration, token: str) -> Flow[Json]:
    answer = yield from rest.call("GET", path, app.credentials, repeatable=True, token=token)
    return rest.read(rest.succeeded(answer, app.credentials))


def _of_token(app: Registration) -> Flow[tuple[Finding, ...]]:
    answer = yield from rest.call("GET", "/user", app.credentials, repeatable=True)
    answer = rest.succeeded(answer, app.credentials)
    login = str(rest.field(rest.read(answer), "login") or "")
    if not login:
        raise PlatformUnavailable("GitHub answered without an account")
    hook = "only its administrators see it: Settings, Webhooks, Recent Deliveries"
    return (_known_as(login, app), _classic(answer), Finding("webhook", hook, asked=False))


def _classic(answer: HttpResponse) -> Finding:
    told = answer.headers.get("x-oauth-scopes", "")
    scopes = {one.strip() for one in told.split(",") if one.strip()}
    if not scopes:
        seen = "a fine-grained token does not tell them; it needs Issues and Pull requests: write"
        return Finding("permissions", seen, asked=False)
    if scopes & CLASSIC_SCOPES:
        return Finding("permissions", ", ".join(sorted(scopes)))
    remedy = "a token with the scope repo (public_repo for public repositories)"
    return Finding("permissions", f"only {', '.join(sorted(scopes))}", remedy)


def _account(seen: Json, app: Registration) -> Finding:
    slug = rest.field(seen, "slug")
    if not isinstance(slug, str) or not slug:
        raise PlatformUnavailable("GitHub answered without an App")
    return _known_as(f"{slug}[bot]", app)


def _known_as(login: str, app: Registration) -> Finding:
    """Compare with the login that the configuration names: by it the bot knows its own posts."""
    written, name = app.credentials.identity_name, app.credentials.app
    if written.lower() == login.lower():
        return Finding("account", f"is {login}")
    seen = f"is {login}, but identity_name is {written or 'not written'}"
    lines = f'platforms: {{github: {{apps: {{{name}: {{identity_name: "{login}"}}}}}}}}'
    return Finding("account", seen, f"in threadline.yaml: {lines}")


def _permissions(seen: Json, edit: str) -> Finding:
    told = rest.field(seen, "permissions")
    has = {f"{name}:{access}" for name, access in told.items()} if isinstance(told, Mapping) else ()
    missing = lacking(NEEDS.scopes, has)
    if not missing:
        return Finding("permissions", ", ".join(need.name for need in NEEDS.scopes))
    remedy = f"{edit}: Repository permissions; then the owner accepts them for each installation"
    return Finding("permissions", f"missing {', '.join(missing)}", remedy)


def _events(seen: Json, edit: str) -> Finding:
    told = rest.field(seen, "events")
    has = [one for one in told if isinstance(one, str)] if isinstance(told, Sequence) else []
    missing = lacking(NEEDS.events, has)
    if not missing:
        return Finding("events", ", ".join(need.name for need in NEEDS.events))
    return Finding("events", f"missing {', '.join(missing)}", f"{edit}: Subscribe to events")


def _hook(hook: Json, app: Registration, page: str) -> Finding:
    address = str(rest.field(hook, "url") or "")
    if not address:
        remedy = f"{page}: Webhook, Active; then {app.command(f'webhook set {app.name}')}"
        return Finding("webhook", "none", remedy)
    if app.url and address != app.url:
        seen = f"goes to {address}, and should go to {app.url}"
        return Finding("webhook", seen, app.command(f"webhook set {app.name}"))
    if str(rest.field(hook, "insecure_ssl")) == "1":
        return Finding(
            "webhook", f"{address}, without verifying TLS", f"{page}: Enable SSL verification"
        )
    return Finding("webhook", f"goes to {address}")


def _deliveries(late: Json) -> Finding:
    """Tell what failed since the last delivery that was taken."""
    listed = [one for one in late if isinstance(one, Mapping)] if isinstance(late, Sequence) else []
    if not listed:
        return Finding("deliveries", "none yet")
    failed = list(_until_taken(listed))
    if not failed:
        return Finding("deliveries", f"the last one was taken ({listed[0].get('event')})")
    status = _status(failed[0])
    cause = _CAUSES.get(
        status, "nothing answered at the address" if status >= 500 or not status else ""
    )
    said = f"{status or ''} {failed[0].get('status') or ''}".strip()[:120]
    seen = f"the last {len(failed)} failed: {said}" + f" ({cause})" * bool(cause)
    remedy = "when that is mended: the App's page Advanced, Recent Deliveries, Redeliver"
    return Finding("deliveries", seen, remedy)


def _until_taken(listed: Sequence[Mapping[str, Json]]) -> Iterator[Mapping[str, Json]]:
    for one in listed:
        if 200 <= _status(one) < 300:
            return
        yield one


def _status(delivery: Mapping[str, Json]) -> int:
    status = delivery.get("status_code")
    return status if isinstance(status, int) else 0


def _installed(seen: Json, app: Registration, proof: str) -> Flow[tuple[Finding, ...]]:
    """Ask for each repository that a binding names whether the App is installed there."""
    install = (
        f"{rest.field(seen, 'html_url') or registering.site(app.credentials)}/installations/new"
    )
    if rest.field(seen, "installations_count") == 0:
        return (Finding("installations", "none", install),)
    absent = []
    for place in app.places[:MOST_PLACES]:
        path = f"/repos/{place}/installation"
        answer = yield from rest.call("GET", path, app.credentials, repeatable=True, token=proof)
        if isinstance(answer, HttpResponse) and answer.status == 404:
            absent.append(place)
        else:
            rest.succeeded(answer, app.credentials)
    if absent:
        return (Finding("installations", f"not on {', '.join(absent)}", install),)
    return (
        (Finding("installations", "on every repository that a binding names"),)
        if app.places
        else ()
    )


def _page(seen: Json, app: Registration) -> str:
    """Give the App's settings, which stand under its owner's."""
    owner = rest.field(seen, "owner")
    login, kind = rest.field(owner, "login"), rest.field(owner, "type")
    of = f"/organizations/{login}" if kind == "Organization" else ""
    return f"{registering.site(app.credentials)}{of}/settings/apps/{rest.field(seen, 'slug')}"
