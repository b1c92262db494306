"""A strict Discord: channels, threads and messages that refuse what the real one refuses.

`answer` takes a call of the HTTP API. Limits, nonces and error codes are Discord's own:
https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
"""

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests import planted
from tests.stubs.discord_application import Application
from tests.stubs.discord_rules import (
    Answer,
    Bucket,
    form_fault,
    limited,
    refused,
    snowflake,
)

TOKEN: Final = "MTE4MDAwMDAwMDAwMDAwMDEwMQ.GaBcDe.a-token-of-nobody-at-all"
BOT: Final = "1180000000000000101"
ROLE: Final = "1180000000000000202"
GUILD: Final = "1170000000000000001"
GENERAL: Final = "1170000000000000010"
ADA_DM: Final = "1170000000000000055"
ADA: Final = "810000000000000001"
BOT_USER: Final = {"id": BOT, "username": "ThreadlineDemo", "discriminator": "4821", "bot": True}
ADA_USER: Final = {
    "id": ADA, "username": "ada_kern", "global_name": "Ada Kern", "discriminator": "0",
    "avatar": None,
}  # fmt: skip
NONCE_KEPT: Final = 180.0
TEXT, DM, PUBLIC_THREAD = 0, 1, 11


@dataclass(slots=True)
class Channel:
    """A channel, direct channel or thread, with its messages oldest first."""

    id: str
    kind: int = TEXT
    guild: str = GUILD
    parent: str = ""
    owner: str = ""
    threads_allowed: bool = True
    writable: bool = True
    messages: list[dict[str, Any]] = field(default_factory=list)

    def described(self) -> dict[str, Any]:
        """Give the channel as Discord tells it."""
        last = self.messages[-1]["id"] if self.messages else None
        told = {"id": self.id, "type": self.kind, "last_message_id": last, "flags": 0}
        if self.guild:
            told |= {"guild_id": self.guild, "name": f"channel-{self.id[-4:]}"}
        if self.parent:
            told |= {"parent_id": self.parent, "owner_id": self.owner, "thread_metadata": {}}
        return told


@dataclass(slots=True)
class DiscordStub:
    """One bot in one server.

    `faults` are given out instead of answers, in order; those `of` a text only to it.
    """

    clock: Callable[[], float] = time.time
    token: str = TOKEN
    channels: dict[str, Channel] = field(default_factory=dict)
    faults: list[Answer] = field(default_factory=list)
    faults_of: dict[str, list[Answer]] = field(default_factory=dict)
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    told: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    files: dict[str, bytes] = field(default_factory=dict)
    buckets: dict[str, Bucket] = field(default_factory=dict)
    interactions: dict[str, dict[str, Any]] = field(default_factory=dict)
    application: Application = field(default_factory=Application)
    refuse_typing: Answer | None = None
    sessions_left: int = 1000
    sessions_reset: int = 86_400_000
    gateway_url: str = "wss://gateway.discord.gg"
    _nonces: dict[tuple[str, str], tuple[float, dict[str, Any]]] = field(default_factory=dict)
    _made: int = 0

    def __post_init__(self) -> None:
        self.add(Channel(GENERAL))
        self.add(Channel(ADA_DM, kind=DM, guild=""))

    def add(self, channel: Channel) -> Channel:
        """Add a channel."""
        self.channels[channel.id] = channel
        return channel

    def say(self, channel: str, text: str, **more: Any) -> dict[str, Any]:
        """Let Ada write; give the message as an event tells it."""
        planted.words(text)
        place = self.channels[channel]
        message = self._message(place, text, ADA_USER)
        if f"<@{BOT}>" in text:
            message["mentions"] = [dict(BOT_USER)]
        if place.guild:
            message |= {"guild_id": place.guild, "member": {"roles": [], "nick": None}}
        message |= more
        self._stand(place, message)
        return message

    def asked(self, text: str, channel: str = GENERAL) -> dict[str, Any]:
        """Let Ada use `/ask`; give the interaction."""
        identity = self._id()
        token = f"token-of-{identity}"
        self.interactions[token] = {"channel": channel, "until": self.clock() + 900.0}
        place = self.channels[channel]
        asked: dict[str, Any] = {
            "id": identity, "application_id": BOT, "type": 2, "version": 1, "token": token,
            "channel_id": channel, "channel": place.described(),
            "data": {"name": "ask", "options": [{"type": 3, "name": "text", "value": text}]},
        }  # fmt: skip
        if place.guild:
            return asked | {"guild_id": place.guild, "member": {"user": ADA_USER, "nick": None}}
        return asked | {"user": ADA_USER}

    def pressed(self, message: Mapping[str, Any], button: str, channel: str) -> dict[str, Any]:
        """Let Ada press a button under a message; give the interaction."""
        identity = self._id()
        token = f"token-of-{identity}"
        about = {"channel": channel, "until": self.clock() + 900.0, "message": dict(message)}
        self.interactions[token] = about
        return {
            "id": identity, "application_id": BOT, "type": 3, "version": 1,
            "token": token, "channel_id": channel, "guild_id": GUILD,
            "channel": self.channels[channel].described(), "message": dict(message),
            "member": {"user": ADA_USER, "nick": None},
            "data": {"custom_id": button, "component_type": 2},
        }  # fmt: skip

    def deferred(self, token: str) -> None:
        """Take the answer that says that one follows: "thinking…" stands in the channel."""
        about = self.interactions[token]
        place = self.channels[about["channel"]]
        message = self._message(place, "", BOT_USER) | {"flags": 128, "application_id": BOT}
        about["message"] = message
        place.messages.append(message)

    def shown(self, channel: str) -> list[str]:
        """Give what the bot's messages in a channel say, oldest first."""
        return [
            one["content"] for one in self.channels[channel].messages if one["author"]["id"] == BOT
        ]

    def asks(self, method: str, path: str) -> list[Any]:
        """Give the bodies of calls whose path matches."""
        return [
            body for how, where, body in self.calls if how == method and re.fullmatch(path, where)
        ]

    def answer(self, method: str, path: str, headers: Mapping[str, str], body: Any) -> Answer:
        """Answer a call; `path` begins behind the version."""
        self.calls.append((method, path, body))
        if "DiscordBot" not in headers.get("user-agent", ""):
            return refused(403, 40333, "internal network error")
        fault = self._fault(body)
        if fault is not None:
            if fault.after_effect:
                self._route(method, path, body)
            return fault
        if not path.startswith("/webhooks/") and headers.get("authorization") != (
            f"Bot {self.token}"
        ):
            return refused(401, 0, "401: Unauthorized")
        bucket = self._bucket(method, path)
        if not bucket.take(self.clock()):
            return limited(bucket.left(self.clock()), bucket)
        answer = self._route(method, path, body)
        answer.headers |= bucket.headers(self.clock())
        return answer

    def _fault(self, body: Any) -> Answer | None:
        text = str(body.get("content", "")) if isinstance(body, Mapping) else ""
        for begin, faults in self.faults_of.items():
            if faults and text.startswith(begin):
                return faults.pop(0)
        return self.faults.pop(0) if self.faults else None

    def _bucket(self, method: str, path: str) -> Bucket:
        place = "/".join(path.split("?", maxsplit=1)[0].split("/")[:3])
        kind = "edit" if method == "PATCH" else method
        return self.buckets.setdefault(f"{kind} {place}", Bucket())

    def _route(self, method: str, path: str, body: Any) -> Answer:
        steps = path.partition("?")[0].strip("/").split("/")
        if steps[0] == "webhooks" and steps[1] == BOT:
            return self._follow_up(method, steps[2], steps[3:], body)
        place = self.channels.get(steps[1]) if len(steps) > 1 and steps[0] == "channels" else None
        if place is not None and place.guild:
            no = self.application.refusal([method, *steps], body, in_thread=bool(place.parent))
            if no is not None:
                return no
        return self._read(steps, path) if method == "GET" else self._write([method, *steps], body)

    def _read(self, steps: list[str], path: str) -> Answer:
        match steps:
            case ["users", "@me"]:
                return Answer(200, dict(BOT_USER))
            case ["gateway", "bot"]:
                limit = {"total": 1000, "remaining": self.sessions_left, "max_concurrency": 1}
                limit["reset_after"] = self.sessions_reset
                told = {"url": self.gateway_url, "shards": 1, "session_start_limit": limit}
                return Answer(200, told)
            case ["users", "@me", "guilds"]:
                return Answer(200, self.application.listed())
            case ["applications", "@me"]:
                return Answer(200, self.application.told(BOT))
            case ["applications", application, "commands"] if application == BOT:
                return Answer(200, self.application.commands)
            case ["guilds", guild, "channels"]:
                return Answer(200, self._listed(guild, threads=False))
            case ["guilds", guild, "threads", "active"]:
                return Answer(200, {"threads": self._listed(guild, threads=True), "members": []})
            case ["channels", channel, "messages"]:
                return self._history(channel, path)
            case ["channels", channel, "messages", message]:
                found = self._find(channel, message)
                return Answer(200, found) if found else refused(404, 10008, "Unknown Message")
            case _:
                return refused(404, 0, "404: Not Found")

    def _write(self, steps: list[str], body: Any) -> Answer:
        match steps:
            case ["PATCH", "applications", "@me"]:
                return self.application.change(body, BOT)
            case ["PUT", "applications", application, "commands"] if application == BOT:
                return self.application.register(body)
            case ["POST", "channels", channel, "messages"]:
                return self._post(channel, body)
            case ["PATCH", "channels", channel, "messages", message]:
                return self._edit(self._find(channel, message), body)
            case ["POST", "channels", channel, "messages", message, "threads"]:
                return self._begin_thread(channel, message, body)
            case ["POST", "channels", _, "typing"] if self.refuse_typing is not None:
                return self.refuse_typing
            case ["POST", "channels", channel, "typing"]:
                return Answer(204) if channel in self.channels else _no_channel()
            case ["PUT", "channels", channel, "messages", message, "reactions", _, "@me"]:
                known = self._find(channel, message)
                return Answer(204) if known else refused(404, 10008, "Unknown Message")
            case _:
                return refused(404, 0, "404: Not Found")

    def _post(self, channel: str, body: Mapping[str, Any]) -> Answer:
        place = self.channels.get(channel)
        if place is None:
            return _no_channel()
        if not place.writable:
            return refused(403, 50013, "Missing Permissions")
        fault = form_fault(body)
        if fault is not None:
            return fault
        key, now = (channel, str(body.get("nonce", ""))), self.clock()
        kept = self._nonces.get(key)
        if body.get("enforce_nonce") and kept and now - kept[0] < NONCE_KEPT:
            return Answer(200, kept[1])
        reply = body.get("message_reference", {})
        if (
            reply
            and not self._find(channel, reply["message_id"])
            and reply.get("fail_if_not_exists", True)
        ):
            return refused(400, 50035, "Invalid Form Body", errors={"message_reference": {}})
        message = self._message(place, body.get("content", ""), BOT_USER)
        message |= {"components": body.get("components", []), "nonce": body.get("nonce")}
        message["attachments"] = [{"filename": name} for name, _ in body.get("files", ())]
        if reply:
            message |= {"type": 19, "message_reference": reply}
        self._nonces[key] = (now, message)
        self._stand(place, message)
        return Answer(200, message)

    def _edit(self, message: dict[str, Any] | None, body: Mapping[str, Any]) -> Answer:
        if message is None:
            return refused(404, 10008, "Unknown Message")
        if message["author"]["id"] != BOT:
            return refused(403, 50005, "Cannot edit a message authored by another user")
        fault = form_fault(body)
        if fault is not None:
            return fault
        message |= {"content": body["content"], "components": body.get("components", [])}
        message["flags"] &= ~128
        message["edits"] = message.get("edits", 0) + 1
        return Answer(200, message)

    def _begin_thread(self, channel: str, message: str, body: Mapping[str, Any]) -> Answer:
        place = self.channels.get(channel)
        if place is None or not self._find(channel, message):
            return refused(404, 10008, "Unknown Message")
        if message in self.channels:
            return refused(400, 160004, "A thread has already been created for this message")
        if place.kind != TEXT:
            return refused(400, 50024, "Cannot execute action on this channel type")
        if not place.threads_allowed:
            return refused(403, 50013, "Missing Permissions")
        if not 1 <= len(body.get("name", "")) <= 100:
            return refused(400, 50035, "Invalid Form Body", errors={"name": {}})
        thread = Channel(message, PUBLIC_THREAD, place.guild, parent=channel, owner=BOT)
        self.add(thread)
        self.told.append(("THREAD_CREATE", thread.described() | {"newly_created": True}))
        return Answer(201, thread.described() | {"name": body["name"]})

    def _follow_up(
        self, method: str, token: str, rest: list[str], body: Mapping[str, Any]
    ) -> Answer:
        about = self.interactions.get(token)
        if about is None:
            return refused(404, 10015, "Unknown Webhook")
        if self.clock() > about["until"]:
            return refused(401, 50027, "Invalid Webhook Token")
        first = about.get("message")
        if method == "POST":
            place = self.channels[about["channel"]]
            message = self._message(place, body["content"], BOT_USER)
            message["flags"] = body.get("flags", 0)
            place.messages.append(message)
            return Answer(200, message)
        if rest[-1] != "@original":
            first = self._find(about["channel"], rest[-1])
        if first is None:
            return refused(404, 10008, "Unknown Message")
        return Answer(200, first) if method == "GET" else self._edit(first, body)

    def _history(self, channel: str, path: str) -> Answer:
        place = self.channels.get(channel)
        if place is None:
            return _no_channel()
        if not place.writable:
            return refused(403, 50001, "Missing Access")
        asked = dict(part.split("=") for part in path.partition("?")[2].split("&") if part)
        after = [one for one in place.messages if int(one["id"]) > int(asked.get("after", "0"))]
        limit = int(asked.get("limit", "50"))
        some = [self.application.shown(one, BOT) for one in after[:limit]]
        bare = [{k: v for k, v in one.items() if k not in {"guild_id", "member"}} for one in some]
        return Answer(200, bare[::-1])

    def _listed(self, guild: str, *, threads: bool) -> list[dict[str, Any]]:
        return [
            one.described()
            for one in self.channels.values()
            if one.guild == guild and bool(one.parent) == threads
        ]

    def _find(self, channel: str, message: str) -> dict[str, Any] | None:
        place = self.channels.get(channel)
        listed = place.messages if place else []
        return next((one for one in listed if one["id"] == message), None)

    def _message(self, place: Channel, text: str, author: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "id": self._id(), "channel_id": place.id, "type": 0, "content": text,
            "author": dict(author), "timestamp": "2026-09-21T14:13:20.000000+00:00",
            "edited_timestamp": None, "tts": False, "mention_everyone": False, "mentions": [],
            "mention_roles": [], "attachments": [], "embeds": [], "pinned": False, "flags": 0,
            "components": [],
        }  # fmt: skip

    def _stand(self, place: Channel, message: dict[str, Any]) -> None:
        place.messages.append(message)
        self.told.append(("MESSAGE_CREATE", message))

    def _id(self) -> str:
        self._made += 1
        return snowflake(self.clock(), self._made)


def _no_channel() -> Answer:
    return refused(404, 10003, "Unknown Channel")
