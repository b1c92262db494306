"""Whether a post whose answer was lost stands in its channel: Discord keeps no nonce with it.

So only its words can tell, and only where one conversation has the channel for itself: in a thread
or a direct message. https://docs.discord.com/developers/resources/message#get-channel-messages
"""

import re
from typing import Final

from threadline.core.errors import PlatformUnavailable
from threadline.core.http import Flow, Lost
from threadline.core.posting import Credentials, Destination, Draft, Receipt
from threadline.platforms.discord import api
from threadline.platforms.discord.interaction import TOKEN
from threadline.platforms.discord.payload import (
    Fields,
    first_of,
    section,
    sections,
    snowflake,
    text,
)
from threadline.platforms.discord.place import THREAD, channel_of
from threadline.platforms.discord.refusal import UNKNOWN_CHANNEL, Refused
from threadline.platforms.discord.rest import failure, look
from threadline.platforms.discord.spoken import own_id

PAGE: Final = 100
MOST_PAGES: Final = 10
SKEW: Final = 30.0
"""Seconds that our clock may be ahead of Discord's."""

BEGINNING: Final = 16
"""Characters that a text of ours which was changed on its way would still begin with."""


def find_posted(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt | None]:
    """Look through what the bot said since the post was planned; None where it is not there.

    Raises PostError, also where nothing is certain.
    """
    ours, wanted = own_id(credentials), _words(draft.text)
    alone = (to.private or to.facts.get(THREAD)) and TOKEN not in to.facts
    if not (alone and ours and wanted and draft.at):
        raise _uncertain()
    channel, after = channel_of(to), first_of(draft.at - SKEW)
    unclear = False
    for _ in range(MOST_PAGES):
        page = yield from _page(channel, after, credentials)
        for post in page:
            said = _words(text(post, "content")) if _author(post) == ours else ""
            if said == wanted:
                return api.receipt(post, channel)
            unclear = unclear or (bool(said) and _alike(said, wanted))
        if len(page) < PAGE:
            break
        after = max((snowflake(one, "id") for one in page), key=int)
    else:
        unclear = True
    if unclear:
        raise _uncertain()
    return None


def _page(channel: str, after: str, credentials: Credentials) -> Flow[list[Fields]]:
    path = f"/channels/{channel}/messages?after={after}&limit={PAGE}"
    answer = yield from look(path, credentials, "history")
    if isinstance(answer, Refused) and answer.is_any_of(UNKNOWN_CHANNEL):
        return []  # nothing stands in a thread that was never made
    if isinstance(answer, Refused | Lost):
        raise failure("what was posted", answer, credentials, repeatable=True)
    return [one for one in sections(answer, "list") if snowflake(one, "id")]


def _author(post: Fields) -> str:
    return snowflake(section(post, "author"), "id")


def _words(said: str) -> str:
    """Give the letters and digits alone: Discord trims posts and rewrites some of their marks."""
    return re.sub(r"[\W_]+", "", said)


def _alike(said: str, wanted: str) -> bool:
    return said[:BEGINNING] == wanted[:BEGINNING]


def _uncertain() -> PlatformUnavailable:
    return PlatformUnavailable("Discord does not show whether the post stands there")
