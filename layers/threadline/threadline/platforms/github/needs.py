"""What a GitHub App must be allowed and be sent: the one place that says so.

https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps
"""

from types import MappingProxyType
from typing import Final

from threadline.core.setup import Need, Needs
from threadline.platforms.github.facts import Event

_USES: Final = MappingProxyType(
    {
        Event.ISSUES: "issues that are opened, labelled, assigned",
        Event.ISSUE_COMMENT: "comments on issues and in the conversation of pull requests",
        Event.PULL_REQUEST: "pull requests that are opened, updated, made ready",
        Event.REVIEW: "reviews",
        Event.REVIEW_COMMENT: "comments on lines",
    }
)
NEEDS: Final = Needs(
    scopes=(
        Need("issues:write", "comments and reactions on issues"),
        Need("pull_requests:write", "comments and reactions on pull requests and their lines"),
        Need("metadata:read", "what every App reads", instead=("metadata:write",)),
    ),
    events=tuple(Need(str(event), _USES[event]) for event in Event),
)
"""Repository permissions as `permission:access`, and webhook events."""

PERMISSIONS: Final = MappingProxyType(dict(need.name.split(":") for need in NEEDS.scopes))
"""The access of each permission."""
