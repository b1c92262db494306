"""A GitHub App by its manifest: a form in the browser, then a code for the App's secrets.

https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
https://docs.github.com/en/rest/apps/apps#create-a-github-app-from-a-manifest
"""

import json
import re
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from threadline.core.errors import ConversationGone, PlatformUnavailable, PostRejected, PostUnknown
from threadline.core.http import Flow
from threadline.core.json import Json, JsonObject
from threadline.core.posting import Credentials
from threadline.core.setup import Form, Registered, Registration
from threadline.platforms.github import app_auth, rest
from threadline.platforms.github.needs import NEEDS, PERMISSIONS
from threadline.platforms.github.verify import SECRET

SITE: Final = "https://github.com"
_ENTERPRISE_API: Final = "/api/v3"
_ORGANISATION: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_CODE: Final = re.compile(r"[A-Za-z0-9_-]{1,200}")


def site(credentials: Credentials) -> str:
    """Give where people go: GitHub's own pages, or a GitHub Enterprise Server's."""
    address = credentials.base_url.rstrip("/")
    return address.removesuffix(_ENTERPRISE_API) or SITE


def manifest(app: Registration, back: str = "") -> JsonObject:
    """Give the manifest; `back` is where GitHub sends the browser with the code."""
    parts = urlsplit(app.url)
    said: dict[str, Json] = {
        "name": "threadline",
        "url": f"{parts.scheme}://{parts.netloc}",
        "description": "Hands issues, pull requests and comments to an agent, and its answers back",
        "hook_attributes": {"url": app.url, "active": True},
        "public": False,
        "default_permissions": dict(PERMISSIONS),
        "default_events": [need.name for need in NEEDS.events],
    }
    return said | ({"redirect_url": back} if back else {})


def form(app: Registration, back: str, state: str, organisation: str) -> Form:
    """Give the form that registers the App, for a person or an organisation.

    Raises PostRejected for what cannot be an organisation's name.
    """
    if organisation and not _ORGANISATION.fullmatch(organisation):
        raise PostRejected(f"{organisation[:40]} is no organisation's name on GitHub")
    owner = f"/organizations/{organisation}" if organisation else ""
    action = f"{site(app.credentials)}{owner}/settings/apps/new?{urlencode({'state': state})}"
    return Form(action, {"manifest": json.dumps(manifest(app, back))})


def registered(app: Registration, code: str) -> Flow[Registered]:
    """Exchange the code, within an hour and once. Raises PostError."""
    if not _CODE.fullmatch(code):
        raise PostRejected("GitHub sent no code back")
    path = f"/app-manifests/{quote(code)}/conversions"
    answer = yield from rest.anonymous(path, app.credentials)
    try:
        said = rest.read(rest.succeeded(answer, app.credentials, adds=True))
    except PostUnknown as error:
        raise PostUnknown(f"{error}. Load this page again, which asks once more") from None
    except ConversationGone as error:
        used = "the code was used before, or is older than an hour"
        raise PostRejected(f"{error}: {used}. {_lost(app)}") from None
    number, slug = rest.field(said, "id"), rest.field(said, "slug")
    key, secret = rest.field(said, "pem"), rest.field(said, "webhook_secret")
    page = rest.field(said, "html_url")
    if not isinstance(number, int) or not all(
        isinstance(one, str) and one for one in (slug, key, secret)
    ):
        raise PlatformUnavailable(f"GitHub's answer cannot be read. {_lost(app)}")
    secrets = {
        app_auth.APP_ID: str(number), app_auth.PRIVATE_KEY: str(key), SECRET: str(secret),
    }  # fmt: skip
    install = f"{page or site(app.credentials)}/installations/new"
    return Registered(f"{slug}[bot]", install, secrets, _lost(app))


def _lost(app: Registration) -> str:
    """Say what to do about an App whose secrets nobody has."""
    return (
        "The new App stands among the GitHub Apps of its owner (Settings, Developer settings)."
        " Either delete it there and begin again, or take its App ID, generate a private key and"
        f" set another webhook secret there, then store the three: {app.store_secrets}"
    )


def register(app: Registration, now: float) -> Flow[str]:
    """Tell GitHub where the App's webhook goes, with its secret. Raises PostError.

    https://docs.github.com/en/rest/apps/webhooks#update-a-webhook-configuration-for-an-app
    """
    secret = app.credentials.secret
    if not (secret(app_auth.APP_ID) and secret(app_auth.PRIVATE_KEY)):
        raise PostRejected("a webhook without an App is registered in its repository's Settings")
    proof = app_auth.claim(app.credentials, now)
    body: JsonObject = {
        "url": app.url,
        "content_type": "json",
        "insecure_ssl": "0",
        "secret": secret(SECRET),
    }
    answer = yield from rest.call(
        "PATCH", "/app/hook/config", app.credentials, body, repeatable=True, token=proof
    )
    rest.succeeded(answer, app.credentials)
    return f"GitHub sends the App's webhook to {app.url}"
