"""Who calls the Gateway, on whose behalf, and where it is.

A deployment's internal token acts for any owner; a personal access token is one DeerFlow user and
reaches the routes of threads and runs only.
https://github.com/bytedance/deer-flow/blob/main/backend/docs/API.md#authentication
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from threadline.core import keys
from threadline.core.agent import AgentAccess
from threadline.core.errors import AgentRejected
from threadline.core.ids import OwnerId

INTERNAL_TOKEN: Final = "internal_token"  # noqa: S105
"""The secret that the Gateway knows as DEER_FLOW_INTERNAL_AUTH_TOKEN."""
PERSONAL_TOKEN: Final = "token"  # noqa: S105
"""The secret that begins with `dfp_`; it counts only without an internal one."""

NOBODY: Final = OwnerId("")
"""For questions about the server itself."""

_PAIR: Final = MappingProxyType({"x-csrf-token": "threadline", "cookie": "csrf_token=threadline"})
"""Servers compare the two with each other and with nothing else; some want them of everyone."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Access as one owner; `owner` is "" only for questions about the server itself."""

    access: AgentAccess
    owner: OwnerId = NOBODY

    @property
    def personal(self) -> bool:
        """Whether a personal access token speaks: what is not threads and runs is closed to it."""
        secrets = self.access.secrets
        return bool(secrets.get(PERSONAL_TOKEN)) and not secrets.get(INTERNAL_TOKEN)

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every call."""
        secrets = self.access.secrets
        if token := secrets.get(INTERNAL_TOKEN):
            owner = {"x-deerflow-owner-user-id": safe(self.owner)} if self.owner else {}
            return {**_PAIR, "x-deerflow-internal-token": token, **owner}
        if token := secrets.get(PERSONAL_TOKEN):
            return {**_PAIR, "authorization": f"Bearer {token}"}
        return _PAIR

    def url(self, path: str) -> str:
        """Give the address of a path below `/api`. Raises AgentRejected."""
        root = self.access.url.rstrip("/")
        if root.endswith("/langgraph"):
            raise AgentRejected("write the Gateway's own address, without /api/langgraph")
        return f"{root}{path}" if root.endswith("/api") else f"{root}/api{path}"


def on_behalf(owner: OwnerId, access: AgentAccess) -> Caller:
    """Call for an owner. Raises AgentRejected without one: all such calls would share one store."""
    if not owner:
        raise AgentRejected("a call on behalf of nobody")
    return Caller(access, owner)


def safe(owner: OwnerId) -> OwnerId:
    """Give an owner as the Gateway takes it: letters, digits, `-` and `_`, else every run fails."""
    return keys.owner_id(owner)
