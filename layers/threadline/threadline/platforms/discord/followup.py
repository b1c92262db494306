"""The answer to a slash command: it takes the place of "thinking…" for 15 minutes.

Its first part fills that place, which may be done twice without harm. All others are ordinary
messages of the bot in the channel. Where the bot may not write there, they follow by the command's
own token, as long as that lives.
https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages
"""

from typing import Final

from threadline.core.errors import ConversationGone, PlatformUnavailable
from threadline.core.http import Flow, Lost
from threadline.core.json import Json
from threadline.core.posting import Credentials, Destination, Draft, Receipt
from threadline.platforms.discord import api
from threadline.platforms.discord.interaction import APPLICATION, PRESSED, TOKEN
from threadline.platforms.discord.payload import Fields, number, text
from threadline.platforms.discord.place import channel_of
from threadline.platforms.discord.refusal import (
    INVALID_TOKEN_OF_ANSWER,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    Answer,
    Refused,
)
from threadline.platforms.discord.rest import Method, call, failure

EPHEMERAL: Final = 1 << 6
LOADING: Final = 1 << 7
WINDOW_CLOSED: Final = (
    "window_closed: Discord takes the answer to a command for 15 minutes, and afterwards only "
    "where the bot itself may write; invite it to this channel"
)
_OVER: Final = (INVALID_TOKEN_OF_ANSWER, UNKNOWN_WEBHOOK, UNKNOWN_MESSAGE)
_NOT_LET_IN: Final = (MISSING_ACCESS, MISSING_PERMISSIONS, UNKNOWN_CHANNEL)


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Post a part of the answer to a command. Raises PostError."""
    channel = channel_of(to)
    open_still, standing = yield from _standing(to, credentials)
    if standing is not None:
        if _is(standing, draft):
            return api.receipt(standing, channel)
        if max(number(standing, "flags"), 0) & LOADING:
            return (yield from _fill(draft, to, credentials))
    answer = yield from api.posted(channel, draft, to, credentials, nonce)
    if isinstance(answer, Refused) and answer.is_any_of(*_NOT_LET_IN):
        if not open_still:
            raise ConversationGone(WINDOW_CLOSED)
        answer = yield from _call("POST", "", draft, to, credentials)
    if isinstance(answer, Refused | Lost):
        raise failure("an answer to a command", answer, credentials)
    return api.receipt(answer, channel)


def whisper(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Say something to the presser of a button alone. Raises PostError."""
    body: dict[str, Json] = {**api.content(draft, credentials)}
    body["flags"] = api.NO_PREVIEWS | EPHEMERAL
    path = f"/webhooks/{to.facts.get(APPLICATION, '')}/{to.facts.get(PRESSED, '')}"
    answer = yield from call("POST", path, body, credentials, what="button answer")
    if isinstance(answer, Refused | Lost):
        raise failure("an answer to a button", answer, credentials)
    return api.receipt(answer, channel_of(to))


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a part; after the 15 minutes as the bot itself, where it may. Raises PostError."""
    path = f"/messages/{posted.id}"
    answer = yield from _call("PATCH", path, draft, to, credentials)
    if not (isinstance(answer, Refused) and answer.is_any_of(*_OVER)):
        if isinstance(answer, Refused | Lost):
            raise failure("an edit", answer, credentials, repeatable=True)
        return posted
    try:
        return (yield from api.edit(draft, posted, to, credentials))
    except ConversationGone:
        raise ConversationGone(WINDOW_CLOSED) from None


def _standing(to: Destination, credentials: Credentials) -> Flow[tuple[bool, Fields | None]]:
    """Tell whether the command's token still lives, and what stands as its first answer."""
    answer = yield from call(
        "GET", f"{_address(to)}/messages/@original", None, credentials, what="command answer",
        repeatable=True,
    )  # fmt: skip
    if isinstance(answer, Lost):
        raise failure("an answer to a command", answer, credentials, repeatable=True)
    if isinstance(answer, Refused):
        if answer.is_any_of(UNKNOWN_MESSAGE):
            return True, None
        if answer.status in {401, 404}:
            return False, None
        raise failure("an answer to a command", answer, credentials, repeatable=True)
    return True, answer


def _fill(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    answer = yield from _call("PATCH", "/messages/@original", draft, to, credentials)
    if isinstance(answer, Refused | Lost):
        # Whether it was filled is seen when it is tried again.
        raise failure("an answer to a command", answer, credentials, repeatable=True)
    if not answer:
        raise PlatformUnavailable("Discord answered without a message")
    return api.receipt(answer, channel_of(to))


def _call(
    method: Method, path: str, draft: Draft, to: Destination, credentials: Credentials
) -> Flow[Answer]:
    body = api.content(draft, credentials)
    return call(method, f"{_address(to)}{path}", body, credentials, what="command answer")


def _address(to: Destination) -> str:
    """Give the address of a command's answers; it holds the token and must not be shown."""
    return f"/webhooks/{to.facts.get(APPLICATION, '')}/{to.facts.get(TOKEN, '')}"


def _is(standing: Fields, draft: Draft) -> bool:
    return text(standing, "content").strip() == draft.text.strip()
