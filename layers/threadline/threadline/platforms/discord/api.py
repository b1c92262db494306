"""Conversations with the HTTP API: post, edit, show typing or a reaction, ask who we are.

https://docs.discord.com/developers/resources/message#create-message
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from threadline.core.errors import PlatformUnavailable, PostRejected, PostUnknown
from threadline.core.http import Flow, HttpResponse, Lost
from threadline.core.json import Json, JsonObject
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Stage
from threadline.platforms.discord import threads, verify
from threadline.platforms.discord.buttons import OPTIONS, rows
from threadline.platforms.discord.payload import snowflake, text
from threadline.platforms.discord.place import THREAD, channel_of
from threadline.platforms.discord.refusal import (
    INVALID_FORM,
    NO_HISTORY,
    UNKNOWN_CHANNEL,
    Answer,
    Refused,
    refused,
)
from threadline.platforms.discord.rest import call, failure, request, send

SIGNS: Final = MappingProxyType({Stage.RUNNING: "", Stage.FAILED: "❌", Stage.REFUSED: "🚫"})
"""The reaction for each stage; "" is the typing mark, which Discord takes away after 10 s."""

NO_PREVIEWS: Final = 4
LONGEST_NONCE: Final = 25

_NOBODY_IS_CALLED: Final[Mapping[str, Json]] = MappingProxyType(
    {"parse": [], "replied_user": False}
)


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Post into the destination's thread, made where it is missing, or its channel.

    Discord keeps a nonce for some minutes, in which the same one gives the same message again.
    Raises PostError.
    """
    channel = channel_of(to)
    answer = yield from posted(channel, draft, to, credentials, nonce)
    missing = isinstance(answer, Refused) and answer.is_any_of(UNKNOWN_CHANNEL)
    if missing and THREAD in to.facts and channel == to.anchor:
        made = yield from threads.begin(to, draft, credentials)
        channel = channel if made else to.chat
        answer = yield from posted(channel, draft, to, credentials, nonce)
    if isinstance(answer, Refused | Lost):
        raise failure("a message", answer, credentials)
    return receipt(answer, channel)


def posted(
    channel: str, draft: Draft, to: Destination, credentials: Credentials, nonce: str
) -> Flow[Answer]:
    """Post into a channel; a reply that cannot be one is posted as it is."""
    body: dict[str, Json] = {
        **content(draft, credentials),
        "nonce": nonce[:LONGEST_NONCE],
        "enforce_nonce": True,
    }
    if to.anchor and channel == to.chat and not to.private:
        reply: JsonObject = {"message_id": to.anchor, "fail_if_not_exists": False}
        body["message_reference"] = reply
    while True:
        answer = yield from call(
            "POST", f"/channels/{channel}/messages", body, credentials, what="message",
            repeatable=True,
        )  # fmt: skip
        strict = isinstance(answer, Refused) and answer.is_any_of(INVALID_FORM, NO_HISTORY)
        if not (strict and body.pop("message_reference", None)):
            return answer


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace a message's text and buttons. Raises PostError.

    An edit may come again, but not by itself: a later text may have taken its place.
    """
    channel = posted.facts.get("channel") or channel_of(to)
    path, body = f"/channels/{channel}/messages/{posted.id}", content(draft, credentials)
    answer = yield from call("PATCH", path, body, credentials, what="edit")
    if isinstance(answer, Refused | Lost):
        raise failure("an edit", answer, credentials, repeatable=True)
    return posted


def signal(stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
    """Show typing, or react to the message that is answered; where neither is allowed, nothing."""
    if stage not in SIGNS or (SIGNS[stage] and not to.anchor):
        return
    if SIGNS[stage]:
        mark = request("PUT", _reaction(to, SIGNS[stage]), credentials, "reaction", repeatable=True)
    else:
        path = f"/channels/{channel_of(to)}/typing"
        mark = request("POST", path, credentials, "typing", repeatable=True)
    answer = yield from send(mark)
    if isinstance(answer, HttpResponse) and (answer.status < 400 or answer.status in {403, 404}):
        return
    problem = answer if isinstance(answer, Lost) else refused(answer)
    raised = failure("a mark", problem, credentials, repeatable=True)
    if not isinstance(raised, PostRejected):
        raise raised


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Ask for the bot's own account and give the credentials with it. Raises PostError."""
    answer = yield from call("GET", "/users/@me", None, credentials, what="me", repeatable=True)
    if isinstance(answer, Refused | Lost):
        raise failure("who we are", answer, credentials, repeatable=True)
    if not snowflake(answer, "id"):
        raise PlatformUnavailable("Discord answered without an account")
    name = text(answer, "username")
    return replace(credentials, identity=snowflake(answer, "id"), identity_name=name)


def content(draft: Draft, credentials: Credentials) -> Mapping[str, Json]:
    """Give what a message says; no text of ours calls anybody or shows a preview.

    Presses come by HTTP alone: an app that takes none, for want of a public key, has no buttons.
    """
    offers = draft.facts.get(OPTIONS, "") if credentials.secret(verify.SECRET) else ""
    return {
        "content": draft.text,
        "flags": NO_PREVIEWS,
        "allowed_mentions": dict(_NOBODY_IS_CALLED),
        "components": rows(offers),
    }


def receipt(answer: Mapping[str, object], channel: str) -> Receipt:
    """Give the proof that a message stands. Raises PostUnknown."""
    identity = snowflake(answer, "id")
    if not identity:
        raise PostUnknown("Discord answered a message without its id")
    return Receipt(identity, {"channel": snowflake(answer, "channel_id") or channel})


def _reaction(to: Destination, emoji: str) -> str:
    """Give the address of our reaction: a thread's first message stands in the channel."""
    channel = to.chat if to.anchor == to.facts.get(THREAD) else channel_of(to)
    return f"/channels/{channel}/messages/{to.anchor}/reactions/{quote(emoji)}/@me"
