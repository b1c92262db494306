"""A strict GitHub's view of Apps: their registration, webhook, deliveries, and a token's account.

https://docs.github.com/en/rest/apps/apps
https://docs.github.com/en/rest/apps/webhooks
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from tests.stubs.github_state import Answer, Refusal, not_found, refused

EVENTS = (
    "issues", "issue_comment", "pull_request", "pull_request_review",
    "pull_request_review_comment",
)  # fmt: skip
WEBHOOK_SECRET = "a-webhook-secret-that-github-made"


def permitted() -> dict[str, str]:
    """Give what an App of ours is usually permitted."""
    return {"issues": "write", "pull_requests": "write", "metadata": "read"}


@dataclass(slots=True)
class App:
    """An App as its owner set it up; `deliveries` newest first, as GitHub lists them.

    `codes` are those that a form's answer brought and nobody exchanged yet.
    """

    slug: str = "acme-coder"
    permissions: dict[str, str] = field(default_factory=permitted)
    events: list[str] = field(default_factory=lambda: list(EVENTS))
    owner: str = "Organization"
    hook: dict[str, Any] = field(
        default_factory=lambda: {
            "content_type": "json", "insecure_ssl": "0", "secret": "********", "url": "",
        }
    )  # fmt: skip
    hook_secret: str = ""
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    codes: set[str] = field(default_factory=set)

    def told(self, number: int, installations: int) -> dict[str, Any]:
        """Give the App as `GET /app` tells it."""
        return {
            "id": number, "slug": self.slug, "name": self.slug, "client_id": "Iv23liOfNobody",
            "owner": {"login": "acme", "type": self.owner},
            "html_url": f"https://github.com/apps/{self.slug}", "permissions": self.permissions,
            "events": self.events, "installations_count": installations,
        }  # fmt: skip

    def change_hook(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Take another address or secret of the webhook."""
        if not str(given.get("url", "https://")).startswith(("http://", "https://")):
            raise Refusal(refused(422, "Validation Failed"))
        self.hook_secret = str(given.get("secret", self.hook_secret))
        self.hook |= {name: given[name] for name in given if name in self.hook and name != "secret"}
        return self.hook

    def delivered(self, status: int, said: str, event: str = "issue_comment") -> None:
        """Let a delivery have been answered so."""
        made = {
            "id": 12_345_678 + len(self.deliveries), "guid": "0b989ba4-242f-11e5-81e1-c7b6966d2516",
            "delivered_at": "2026-09-21T14:13:20Z", "redelivery": False, "duration": 0.27,
            "status": said, "status_code": status, "event": event, "action": "created",
            "installation_id": 123, "repository_id": 700100200, "throttled_at": None,
        }  # fmt: skip
        self.deliveries.insert(0, made)

    def exchanged(self, code: str, number: int, key: str) -> Answer:
        """Exchange a code for the App's secrets, once."""
        if code not in self.codes:
            raise not_found()
        self.codes.discard(code)
        secrets = {"client_secret": "of-nobody", "webhook_secret": WEBHOOK_SECRET, "pem": key}
        return Answer(201, {**self.told(number, 0), **secrets})


REQUIRED = {"url", "default_permissions", "default_events"}
KNOWN = {
    "name", "description", "hook_attributes", "redirect_url", "callback_urls", "setup_url",
    "public", "request_oauth_on_install", "setup_on_update", *REQUIRED,
}  # fmt: skip


def registered_by_form(app: App, owner: str, fields: Mapping[str, str]) -> Answer:
    """Take a manifest as a person hands it in and confirms it: back to where it says, with a code.

    https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest
    """
    manifest = json.loads(fields.get("manifest", "null"))
    if not isinstance(manifest, dict) or not REQUIRED <= set(manifest) <= KNOWN:
        return refused(422, "Invalid GitHub App configuration")
    hook = manifest.get("hook_attributes", {})
    if set(manifest["default_events"]) - set(EVENTS) or not hook.get("url", "").startswith("http"):
        return refused(422, "Invalid GitHub App configuration")
    app.owner = "Organization" if owner else "User"
    app.permissions = dict(manifest["default_permissions"])
    app.events, app.hook["url"] = list(manifest["default_events"]), hook["url"]
    code = f"code-of-{app.slug}-{len(app.codes)}"
    app.codes.add(code)
    query = urlencode({"code": code, "state": fields.get("state", "")})
    return Answer(302, {}, {"location": f"{manifest['redirect_url']}?{query}"})


def check_permission(permissions: dict[str, str], *names: str) -> None:
    """Refuse what none of a token's permissions of these names lets it do, in GitHub's words."""
    if not any(permissions.get(name) == "write" for name in names):
        raise Refusal(refused(403, "Resource not accessible by integration"))
