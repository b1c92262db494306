"""What was written while no session heard it, asked for over HTTP: bounded, oldest first.

https://docs.discord.com/developers/resources/message#get-channel-messages
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from threadline.core.http import Flow, Lost, pause
from threadline.core.posting import Credentials
from threadline.core.socket import Cursor, Missed
from threadline.platforms.discord import delivery
from threadline.platforms.discord.known import THREAD_TYPES, Known
from threadline.platforms.discord.payload import Fields, first_of, number, sections, snowflake
from threadline.platforms.discord.refusal import Refused
from threadline.platforms.discord.rest import failure, look
from threadline.platforms.discord.spoken import own_id

LONGEST: Final = 86_400.0
"""Seconds that are made up for at most: older questions have gone elsewhere."""

MOST_GUILDS: Final = 50
MOST_CHANNELS: Final = 50
"""Channels of servers; of those of direct messages all that are known are read."""

MOST_PAGES: Final = 3
PAGE: Final = 100
LONGEST_PAUSE: Final = 30.0
WRITTEN_IN: Final = frozenset({0, 2, 5, 13, *THREAD_TYPES})
"""Channels that hold messages."""


def backfill(credentials: Credentials, cursor: Cursor, now: float) -> Flow[Missed]:
    """Read what the channels the bot can see hold since the gap began. Raises PostError."""
    if not cursor.get("gap", "").isdecimal():
        return Missed()
    since = str(max(int(cursor["gap"]), int(first_of(now - LONGEST))))
    search = _Search(credentials, own_id(credentials), Known.read(cursor), since)
    places = yield from search.places()
    found: dict[str, bytes] = {}
    for channel, guild in places.items():
        for message in (yield from search.messages(channel)):
            whole = {**message, "guild_id": guild} if guild else message
            body = delivery.body("MESSAGE_CREATE", whole, search.known, search.bot)
            if body:
                found[snowflake(message, "id")] = body
    in_order = tuple(found[name] for name in sorted(found, key=int))
    return Missed(in_order, {"gap": "", **search.known.changes(Known.read(cursor))})


@dataclass(slots=True)
class _Search:
    """Asks one server and channel after another; `known` grows by the threads that are met."""

    credentials: Credentials
    bot: str
    known: Known
    since: str
    _latest: dict[str, tuple[int, str]] = field(default_factory=dict)

    def places(self) -> Flow[Mapping[str, str]]:
        """Give the channels with news and their servers, the liveliest first, then direct ones."""
        for guild in list(self.known.guilds)[:MOST_GUILDS]:
            self._note((yield from self._ask(f"/guilds/{guild}/channels")), guild)
            threads = yield from self._ask(f"/guilds/{guild}/threads/active", "threads")
            self.known = self.known.with_threads(threads, guild, self.bot)
            self._note(threads, guild)
        best = sorted(self._latest, key=lambda name: self._latest[name][0], reverse=True)
        busy = {name: self._latest[name][1] for name in best[:MOST_CHANNELS]}
        return {**busy, **dict.fromkeys(self.known.direct, "")}

    def messages(self, channel: str) -> Flow[list[Fields]]:
        """Give the messages of a channel since the gap began; of very many the oldest."""
        found: list[Fields] = []
        after = self.since
        for _ in range(MOST_PAGES):
            path = f"/channels/{channel}/messages?after={after}&limit={PAGE}"
            page = yield from self._ask(path)
            named = [one for one in page if snowflake(one, "id")]
            found += named
            if len(page) < PAGE or not named:
                break
            after = max((snowflake(one, "id") for one in named), key=int)
        return found

    def _note(self, listed: list[Fields], guild: str) -> None:
        for name, last in _with_news(listed):
            if last > int(self.since):
                self._latest[name] = (last, guild)

    def _ask(self, path: str, inside: str = "") -> Flow[list[Fields]]:
        """Give the objects of a list; a place that is closed to the bot has none."""
        for last in (False, True):
            answer = yield from look(path, self.credentials, "history")
            if not isinstance(answer, Refused | Lost):
                return sections(answer, inside or "list")
            if isinstance(answer, Refused):
                if answer.status in {403, 404}:
                    return []
                if answer.status == 429 and not last and answer.after <= LONGEST_PAUSE:
                    yield from pause(answer.after)
                    continue
            raise failure("what was missed", answer, self.credentials, repeatable=True)
        return []


def _with_news(listed: list[Fields]) -> Iterator[tuple[str, int]]:
    for one in listed:
        name, last = snowflake(one, "id"), snowflake(one, "last_message_id")
        if name and last and number(one, "type") in WRITTEN_IN:
            yield name, int(last)
