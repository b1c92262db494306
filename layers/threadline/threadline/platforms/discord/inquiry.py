"""Whether a new session may begin, and where: Discord gives a bot a thousand a day.

Whoever begins more loses the bot's token. https://docs.discord.com/developers/events/gateway#session-start-limit-object
"""

from typing import Final

from threadline.core.errors import CredentialsRejected, RateLimited
from threadline.core.http import Flow, Lost
from threadline.core.posting import Credentials
from threadline.core.socket import Cursor
from threadline.platforms.discord import closing
from threadline.platforms.discord.connecting import GATEWAY, seconds, stands
from threadline.platforms.discord.payload import Fields, number, section, text
from threadline.platforms.discord.refusal import Refused
from threadline.platforms.discord.rest import failure, look

RESERVE: Final = 50
"""Sessions that are left alone, for whoever has to look after the bot."""

CALM: Final = 0.8
"""The share of a day's sessions from which down the rest is spread over the rest of the day."""

BETWEEN: Final = 5.0
"""Seconds between the beginnings of two sessions."""

LONGEST_WAIT: Final = 3600.0


def inquire(credentials: Credentials, cursor: Cursor, now: float) -> Flow[Cursor]:
    """Ask where a session is begun; nothing is asked where the last one is gone on with.

    Raises PostError: RateLimited where a session would be one too many just now.
    """
    if stands(cursor, now):
        return {}
    answer = yield from look("/gateway/bot", credentials, "gateway")
    if isinstance(answer, Refused) and answer.status == 401:
        raise CredentialsRejected(closing.REFUSED[closing.WRONG_TOKEN])
    if isinstance(answer, Refused | Lost):
        raise failure("where its gateway is", answer, credentials, repeatable=True)
    limit = section(answer, "session_start_limit")
    wait = wait_before(limit, now - seconds(cursor.get("begun", "")))
    if wait > 0:
        left = number(limit, "remaining")
        raise RateLimited(f"Discord lets the bot begin {left} more sessions today", wait)
    return {GATEWAY: text(answer, "url")}


def wait_before(limit: Fields, since: float) -> float:
    """Give the seconds to wait before a session, the last one having begun `since` seconds ago."""
    total, left = number(limit, "total"), number(limit, "remaining")
    resets_in = max(number(limit, "reset_after"), 0) / 1000
    if 0 <= left <= RESERVE:
        return min(resets_in + 1.0, LONGEST_WAIT)
    apart = BETWEEN
    if 0 <= left < total * CALM:
        apart = max(resets_in / (left - RESERVE), BETWEEN)
    return min(max(apart - since, 0.0), apart, LONGEST_WAIT)
