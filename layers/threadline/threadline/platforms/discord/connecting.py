"""Where the gateway is, and what of the last session is gone on with.

https://docs.discord.com/developers/events/gateway#connecting
"""

from typing import Final
from urllib.parse import urlsplit

from threadline.core.errors import CredentialsRejected
from threadline.core.posting import Credentials
from threadline.core.socket import Cursor, Opening
from threadline.platforms.discord.gateway import DAY, LET_IN_AGAIN, LONGEST_RESUME, Gateway
from threadline.platforms.discord.known import Known
from threadline.platforms.discord.spoken import own_id

HOST: Final = "gateway.discord.gg"
HOSTS: Final = ".discord.gg"
QUERY: Final = "?v=10&encoding=json"
MAX_FRAME: Final = 16_000_000


def connect(credentials: Credentials, cursor: Cursor, now: float, random: float) -> Opening:
    """Open the last session again where it may still stand, else a new one.

    Raises CredentialsRejected.
    """
    token = credentials.secret("bot_token")
    if not token.strip() or not token.isascii() or not token.isprintable():
        raise CredentialsRejected(
            "no Discord bot token that can be right: threadline secrets set discord"
        )
    heard, sequence = _number(cursor.get("heard", "")), _number(cursor.get("seq", ""))
    alive = bool(cursor.get("session")) and "seq" in cursor and now - heard < LONGEST_RESUME
    session = Gateway(
        token=token,
        bot=own_id(credentials),
        random=random,
        known=Known.read(cursor),
        session=cursor.get("session", "") if alive else "",
        sequence=int(sequence) if alive else -1,
        heard_at=heard,
        gap=cursor.get("gap", ""),
        begun=_begun(cursor.get("begun", ""), now),
    )
    url = _resumes_at(cursor.get("url", ""), credentials.base_url) if alive else ""
    return Opening(
        session, url or address(credentials.base_url), max_frame=MAX_FRAME, goodbye=LET_IN_AGAIN
    )


def address(base_url: str) -> str:
    """Give where a new session is begun."""
    if not base_url:
        return f"wss://{HOST}/{QUERY}"
    parts = urlsplit(base_url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    return f"{scheme}://{parts.netloc}/gateway/{QUERY}"


def _resumes_at(told: str, base_url: str) -> str:
    """Give the address that READY told, where it is one of Discord's own."""
    try:
        parts = urlsplit(told)
        host = parts.hostname or ""
    except ValueError:
        return ""
    ours = bool(base_url) and parts.netloc == urlsplit(base_url).netloc
    if ours or (parts.scheme == "wss" and host.endswith(HOSTS) and parts.port in {None, 443}):
        return f"{parts.scheme}://{parts.netloc}{parts.path or '/'}{QUERY}"
    return ""


def _number(written: str) -> float:
    fits = written.isascii() and written.isdecimal() and len(written) <= 12
    return float(written) if fits else 0.0


def _begun(written: str, now: float) -> tuple[int, int]:
    """Read how many sessions were begun today."""
    day, _, count = written.partition(" ")
    today = int(now) // DAY
    return (today, int(_number(count))) if _number(day) == today else (today, 0)
