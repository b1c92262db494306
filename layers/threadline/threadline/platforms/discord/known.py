"""What a connection learns of servers, threads and direct messages, and keeps over restarts.

A message names only the channel it stands in: that this is a thread, and of which channel, was told
before. https://docs.discord.com/developers/events/gateway-events#guild-create
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Self

from threadline.core.json import Json
from threadline.core.socket import Cursor
from threadline.platforms.discord.payload import (
    Fields,
    as_id,
    flag,
    number,
    section,
    sections,
    snowflake,
)

MOST_THREADS: Final = 1000
MOST_DIRECT: Final = 100
THREAD_TYPES: Final = frozenset({10, 11, 12})

_GUILD, _THREAD, _DIRECT = "guild/", "thread/", "direct/"
_OURS: Final = "ours"


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of a channel; `ours`: the bot began it or has spoken in it."""

    guild: str
    parent: str
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """Servers with the roles that mean the bot alone, threads, and channels of direct messages."""

    guilds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    threads: Mapping[str, Thread] = field(default_factory=dict)
    direct: tuple[str, ...] = ()

    @classmethod
    def read(cls, cursor: Cursor) -> Self:
        """Read what was kept; what cannot be read was not."""
        guilds, threads, direct = {}, {}, []
        for name, value in cursor.items():
            kind, _, identity = name.partition("/")
            words = value.split()
            if not (as_id(identity) and words):
                continue
            if kind == "guild":
                guilds[identity] = tuple(filter(as_id, words))
            elif kind == "thread" and len(words) >= 2 and all(map(as_id, words[:2])):
                threads[identity] = Thread(words[0], words[1], _OURS in words)
            elif kind == "direct":
                direct.append(identity)
        return cls(guilds, threads, tuple(direct))

    def changes(self, before: "Known") -> Cursor:
        """Give what is to be kept now, "" for what is no longer."""
        if self is before:
            return {}
        old, new = before.entries(), self.entries()
        gone = dict.fromkeys(old.keys() - new.keys(), "")
        return {**gone, **{name: text for name, text in new.items() if old.get(name) != text}}

    def entries(self) -> Cursor:
        """Give everything as small texts by name."""
        guilds = {_GUILD + name: " ".join(roles) or "-" for name, roles in self.guilds.items()}
        threads = {
            _THREAD + name: f"{one.guild} {one.parent} {_OURS if one.ours else ''}".strip()
            for name, one in self.threads.items()
        }
        return {**guilds, **threads, **{_DIRECT + name: "-" for name in self.direct}}

    def place(self, message: Fields) -> dict[str, Json]:
        """Say of a message what it does not say itself; a thread not heard of is a channel."""
        thread = self.threads.get(snowflake(message, "channel_id"))
        roles = self.guilds.get(snowflake(message, "guild_id"), ())
        place: dict[str, Json] = {"roles": list(roles)}
        return {**place, "parent": thread.parent, "ours": thread.ours} if thread else place

    def after(self, kind: str, said: Fields, bot: str) -> Self:
        """Give what is known after an event."""
        match kind:
            case "GUILD_CREATE":
                return self._with_guild(said, bot)
            case "GUILD_DELETE" if not flag(said, "unavailable"):
                return self.without_guilds({snowflake(said, "id")})
            case "THREAD_CREATE" | "THREAD_UPDATE":
                return self.with_threads([said], snowflake(said, "guild_id"), bot)
            case "THREAD_LIST_SYNC":
                return self.with_threads(
                    sections(said, "threads"), snowflake(said, "guild_id"), bot
                )
            case "THREAD_DELETE":
                gone = snowflake(said, "id")
                kept = {name: one for name, one in self.threads.items() if name != gone}
                return self if gone not in self.threads else replace(self, threads=kept)
            case "MESSAGE_CREATE":
                return self._with_message(said, bot)
            case _:
                return self

    def with_threads(self, listed: list[Fields], guild: str, bot: str) -> Self:
        """Add threads; the newest are kept where there are too many, ours before others."""
        threads = dict(self.threads)
        for one in listed:
            name, parent = snowflake(one, "id"), snowflake(one, "parent_id")
            if name and parent and guild and number(one, "type") in THREAD_TYPES:
                ours = snowflake(one, "owner_id") == bot
                threads[name] = Thread(guild, parent, ours or self._is_ours(name))
        if threads == self.threads:
            return self
        best = sorted(threads, key=lambda name: (threads[name].ours, int(name)), reverse=True)
        return replace(self, threads={name: threads[name] for name in best[:MOST_THREADS]})

    def without_guilds(self, gone: set[str]) -> Self:
        """Forget servers the bot is no longer in."""
        if gone.isdisjoint(self.guilds):
            return self
        return replace(
            self,
            guilds={name: roles for name, roles in self.guilds.items() if name not in gone},
            threads={name: one for name, one in self.threads.items() if one.guild not in gone},
        )

    def in_guilds(self, names: set[str]) -> Self:
        """Give what is known when these are all servers the bot is in."""
        kept = self.without_guilds(set(self.guilds) - names)
        return replace(kept, guilds={**dict.fromkeys(sorted(names), ()), **kept.guilds})

    def _with_guild(self, guild: Fields, bot: str) -> Self:
        identity = snowflake(guild, "id")
        if not identity or flag(guild, "unavailable"):
            return self
        roles = tuple(
            snowflake(role, "id")
            for role in sections(guild, "roles")
            if bot and snowflake(section(role, "tags"), "bot_id") == bot
        )
        known = self
        if self.guilds.get(identity) != roles:
            known = replace(self, guilds={**self.guilds, identity: roles})
        return known.with_threads(sections(guild, "threads"), identity, bot)

    def _with_message(self, message: Fields, bot: str) -> Self:
        channel = snowflake(message, "channel_id")
        thread = self.threads.get(channel)
        own = snowflake(section(message, "author"), "id") == bot
        if thread is not None and own and not thread.ours:
            return replace(self, threads={**self.threads, channel: replace(thread, ours=True)})
        if channel and not snowflake(message, "guild_id") and channel not in self.direct:
            return replace(self, direct=(*self.direct, channel)[-MOST_DIRECT:])
        return self

    def _is_ours(self, name: str) -> bool:
        thread = self.threads.get(name)
        return thread is not None and thread.ours
