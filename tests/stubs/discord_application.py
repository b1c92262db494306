"""A strict Discord's view of an application: flags, commands, servers, and what it may do there.

https://docs.discord.com/developers/resources/application#application-object
https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from tests.stubs.discord_rules import Answer, refused

VIEW_CHANNEL: Final = 1 << 10
SEND_MESSAGES: Final = 1 << 11
READ_HISTORY: Final = 1 << 16
ADD_REACTIONS: Final = 1 << 6
ATTACH_FILES: Final = 1 << 15
CREATE_THREADS: Final = 1 << 35
SEND_IN_THREADS: Final = 1 << 38
EVERY: Final = (
    VIEW_CHANNEL | SEND_MESSAGES | READ_HISTORY | ADD_REACTIONS | ATTACH_FILES | CREATE_THREADS
    | SEND_IN_THREADS
)  # fmt: skip
MESSAGE_CONTENT: Final = 1 << 18
MESSAGE_CONTENT_LIMITED: Final = 1 << 19
CONTENT: Final = MappingProxyType({"content": "", "attachments": [], "embeds": []})
KEY: Final = "b6ee3cff1ac49ce61e5cabdcfd0d0e4e09afe1d41ea4f15e2a7e6a7ac0d9bbb1"


@dataclass(slots=True)
class Application:
    """An application as its owner set it up, and the bot's permissions in its servers.

    `reaches`: what Discord tries an endpoint with is answered right.
    """

    flags: int = MESSAGE_CONTENT_LIMITED
    endpoint: str | None = None
    reaches: bool = True
    verify_key: str = KEY
    commands: list[dict[str, Any]] = field(default_factory=list)
    permissions: int = EVERY
    servers: list[str] = field(default_factory=lambda: ["1170000000000000001"])

    def told(self, number: str) -> dict[str, Any]:
        """Give the application as it is told to its own bot."""
        return {
            "id": number, "name": "Threadline", "icon": None, "description": "", "bot_public": True,
            "bot_require_code_grant": False, "verify_key": self.verify_key, "flags": self.flags,
            "team": None, "interactions_endpoint_url": self.endpoint, "hook": True,
            "approximate_guild_count": len(self.servers),
        }  # fmt: skip

    @property
    def reads(self) -> bool:
        """Whether the bot may read what people write."""
        return bool(self.flags & (MESSAGE_CONTENT | MESSAGE_CONTENT_LIMITED))

    def shown(self, message: Mapping[str, Any], bot: str) -> dict[str, Any]:
        """Give a message as the bot is told it: empty where it may not read and is not called."""
        called = bot in {message["author"]["id"], *(one["id"] for one in message["mentions"])}
        free = self.reads or called or "guild_id" not in message
        return {**message, **({} if free else CONTENT)}

    def listed(self) -> list[dict[str, Any]]:
        """List the servers that the bot is in."""
        return [
            {"id": one, "name": f"server-{one[-4:]}", "icon": None, "owner": False,
             "permissions": str(self.permissions), "features": []}
            for one in self.servers
        ]  # fmt: skip

    def register(self, commands: object) -> Answer:
        """Replace the commands, as a PUT does."""
        if not isinstance(commands, list) or not all("description" in one for one in commands):
            return refused(400, 50035, "Invalid Form Body")
        self.commands = [
            {"id": str(1200000000000000000 + at), "type": 1, **one}
            for at, one in enumerate(commands)
        ]
        return Answer(200, self.commands)

    def change(self, body: Mapping[str, Any], number: str) -> Answer:
        """Change what is given; an endpoint is tried at once."""
        told = body.get("interactions_endpoint_url", self.endpoint)
        if told and not self.reaches:
            said = "The specified interactions endpoint url could not be verified."
            fault = {"code": "APPLICATION_INTERACTIONS_ENDPOINT_URL_INVALID", "message": said}
            errors = {"interactions_endpoint_url": {"_errors": [fault]}}
            return refused(400, 50035, "Invalid Form Body", errors=errors)
        self.endpoint = told
        return Answer(200, self.told(number))

    def refusal(
        self, steps: list[str], body: Mapping[str, Any], *, in_thread: bool
    ) -> Answer | None:
        """Refuse what the bot may not do in a server; `steps` are the method and the path."""
        if not self.permissions & VIEW_CHANNEL:
            return refused(403, 50001, "Missing Access")
        needed = _needed(steps, in_thread=in_thread)
        needed |= READ_HISTORY if body.get("message_reference") else 0
        needed |= ATTACH_FILES if body.get("files") else 0
        if needed & ~self.permissions == 0:
            return None
        if needed & ~self.permissions == READ_HISTORY and body.get("message_reference"):
            return refused(400, 160002, "Cannot reply without permission to read message history")
        return refused(403, 50013, "Missing Permissions")


def _needed(steps: list[str], *, in_thread: bool) -> int:
    match steps:
        case ["POST", "channels", _, "messages"]:
            return SEND_IN_THREADS if in_thread else SEND_MESSAGES
        case ["POST", "channels", _, "messages", _, "threads"]:
            return CREATE_THREADS
        case ["GET", "channels", _, "messages", *_]:
            return READ_HISTORY
        case ["PUT", "channels", _, "messages", _, "reactions", *_]:
            return ADD_REACTIONS | READ_HISTORY
        case _:
            return 0
