"""Where the gateway is, and what of the last session is gone on with.

https://docs.discord.com/developers/events/gateway#connecting
"""

from typing import Final
from urllib.parse import urlsplit

from threadline.core.errors import CredentialsRejected
from threadline.core.posting import Credentials
from threadline.core.socket import Cursor, Opening
from threadline.platforms.discord.gateway import LET_IN_AGAIN, LONGEST_RESUME, Gateway
from threadline.platforms.discord.known import Known
from threadline.platforms.discord.reading import UNREAD
from threadline.platforms.discord.spoken import own_id

HOST: Final = "gateway.discord.gg"
HOSTS: Final = ".discord.gg"
QUERY: Final = "?v=10&encoding=json"
MAX_FRAME: Final = 16_000_000
GATEWAY: Final = "gateway"
"""What an inquiry tells: where a new session is begun."""


def connect(credentials: Credentials, cursor: Cursor, now: float, random: float) -> Opening:
    """Open the last session again where it may still stand, else a new one.

    Raises CredentialsRejected.
    """
    token = credentials.secret("bot_token")
    if not token.strip() or not token.isascii() or not token.isprintable():
        raise CredentialsRejected(
            "no Discord bot token that can be right: threadline secrets set discord"
        )
    goes_on = stands(cursor, now)
    session = Gateway(
        token=token,
        bot=own_id(credentials),
        random=random,
        known=Known.read(cursor),
        session=cursor["session"] if goes_on else "",
        sequence=int(seconds(cursor["seq"])) if goes_on else -1,
        heard_at=seconds(cursor.get("heard", "")),
        told_at=seconds(cursor.get("heard", "")),
        gap=cursor.get("gap", ""),
    )
    told = cursor.get("url" if goes_on else GATEWAY, "")
    url = _its_own(told, credentials.base_url) or address(credentials.base_url)
    return Opening(session, url, max_frame=MAX_FRAME, goodbye=LET_IN_AGAIN)


def stands(cursor: Cursor, now: float) -> bool:
    """Tell whether the last session may still stand, and told what people wrote."""
    heard = seconds(cursor.get("heard", ""))
    kept = bool(cursor.get("session")) and "seq" in cursor and not cursor.get(UNREAD)
    return kept and now - heard < LONGEST_RESUME


def address(base_url: str) -> str:
    """Give where a new session is begun."""
    if not base_url:
        return f"wss://{HOST}/{QUERY}"
    parts = urlsplit(base_url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    return f"{scheme}://{parts.netloc}/gateway/{QUERY}"


def seconds(written: str) -> float:
    """Read a number of the cursor, 0 where it is none."""
    fits = written.isascii() and written.isdecimal() and len(written) <= 12
    return float(written) if fits else 0.0


def _its_own(told: str, base_url: str) -> str:
    """Give an address that was told, where it is one of Discord's own."""
    try:
        parts = urlsplit(told)
        host = parts.hostname or ""
    except ValueError:
        return ""
    ours = bool(base_url) and parts.netloc == urlsplit(base_url).netloc
    if ours or (parts.scheme == "wss" and host.endswith(HOSTS) and parts.port in {None, 443}):
        return f"{parts.scheme}://{parts.netloc}{parts.path or '/'}{QUERY}"
    return ""
