"""A session of the gateway driven by hand: frames in, what goes out and is kept."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.contract.platforms.discord import CREDENTIALS
from threadline.core.apps import AppSettings
from threadline.core.ids import AppName, PlatformName
from threadline.core.socket import Cursor, Session, Step
from threadline.platforms.discord import PLATFORM

NOW: Final = 1_790_000_000.0
APP: Final = AppSettings(platform=PlatformName("discord"), app=AppName("default"))
BOT: Final = "1180000000000000101"
GUILD: Final = "1170000000000000001"
CHANNEL: Final = "1170000000000000010"
THREAD: Final = "1550937249996800007"


@dataclass(slots=True)
class Gateway:
    """Feeds a session and keeps its cursor, as a host does that accepts everything."""

    cursor: dict[str, str] = field(default_factory=dict)
    now: float = NOW
    random: float = 0.5
    session: Session = field(init=False)
    url: str = field(init=False)
    sent: list[dict[str, Any]] = field(default_factory=list)
    deliveries: list[dict[str, Any]] = field(default_factory=list)
    last: Step = field(init=False)

    def __post_init__(self) -> None:
        opening = PLATFORM.connect(CREDENTIALS, APP, self.cursor, self.now, self.random)
        self.url, self.session = opening.url, opening.session
        self.does(self.session.opened(self.now))

    def hears(self, op: int, d: Any = None, t: str = "", s: int | None = None) -> Step:
        """Feed one frame."""
        frame: Mapping[str, Any] = {"op": op, "d": d, "s": s, "t": t or None}
        return self.does(self.session.feed(json.dumps(frame), self.now))

    def event(self, t: str, d: Mapping[str, Any], s: int) -> Step:
        """Feed an event."""
        return self.hears(0, d, t, s)

    def enters(self, s: int = 1) -> Step:
        """Let Discord greet and let the bot in, in one server."""
        self.hears(10, {"heartbeat_interval": 41_250})
        ready = {
            "v": 10, "session_id": "a-session", "user": {"id": BOT},
            "resume_gateway_url": "wss://gateway-us-east1-b.discord.gg",
            "guilds": [{"id": GUILD, "unavailable": True}], "application": {"id": BOT},
        }  # fmt: skip
        return self.event("READY", ready, s)

    def waits(self, seconds: float) -> Step:
        """Let time pass, then tick."""
        self.now += seconds
        return self.does(self.session.tick(self.now))

    def closes(self, code: int, reason: str = "") -> Step:
        """Let Discord close the connection."""
        return self.does(self.session.closed(code, reason, self.now))

    def again(self) -> "Gateway":
        """Connect anew with what was kept."""
        return Gateway(cursor=dict(self.cursor), now=self.now, random=self.random)

    def does(self, step: Step) -> Step:
        """Do what a step says."""
        self.session, self.last = step.session, step
        self.sent += [json.loads(frame) for frame in step.send]
        self.deliveries += [json.loads(body) for body in step.deliveries]
        self.keep(step.save)
        return step

    def keep(self, save: Cursor) -> None:
        """Keep a change of the cursor."""
        for name, text in save.items():
            if text:
                self.cursor[name] = text
            else:
                self.cursor.pop(name, None)


def message(identity: str, text: str = "hello", **more: Any) -> dict[str, Any]:
    """Make a message as an event tells it."""
    return {
        "id": identity, "channel_id": CHANNEL, "guild_id": GUILD, "type": 0, "content": text,
        "author": {"id": "810000000000000001", "username": "ada_kern"}, **more,
    }  # fmt: skip


def server(**more: Any) -> dict[str, Any]:
    """Make a server with the bot's role and a thread, as GUILD_CREATE tells it."""
    return {
        "id": GUILD,
        "roles": [
            {"id": GUILD, "name": "@everyone"},
            {"id": "1180000000000000202", "name": "Bot", "tags": {"bot_id": BOT}},
            {"id": "1180000000000000203", "name": "Helpers"},
        ],
        "threads": [thread(THREAD)],
        **more,
    }


def thread(identity: str, owner: str = BOT, **more: Any) -> dict[str, Any]:
    """Make a thread of the channel."""
    return {
        "id": identity, "type": 11, "guild_id": GUILD, "parent_id": CHANNEL, "owner_id": owner,
        **more,
    }  # fmt: skip
