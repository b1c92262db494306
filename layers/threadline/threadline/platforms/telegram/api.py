"""Conversations with the Bot API: post, edit, show typing or a reaction.

https://core.telegram.org/bots/api#available-methods
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from threadline.core.errors import PlatformUnavailable, PostError, PostRejected, PostUnknown
from threadline.core.http import Flow, HttpRequest, Lost, ask
from threadline.core.json import Json, JsonObject
from threadline.core.policy import redact
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Stage
from threadline.platforms.telegram import refusal
from threadline.platforms.telegram.payload import number, section, text
from threadline.platforms.telegram.refusal import Answer, Refused

HOST: Final = "api.telegram.org"
ENTITIES: Final = "entities"
"""The fact of a draft that holds its formatting, as JSON."""

SIGNS: Final = MappingProxyType(
    {
        Stage.RUNNING: ("sendChatAction", "typing"),
        Stage.REFUSED: ("setMessageReaction", "🤷"),
    }
)


def post(draft: Draft, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Send a message as a reply to the destination's anchor. Raises PostError.

    What Telegram cannot take of the request (formatting, the message replied to, a private topic,
    a group's old number) is left out and the rest is sent: a refused message does not stand.
    """
    body: JsonObject = {**address(to), **_content(draft)}
    while True:
        answer = yield from call("sendMessage", body, credentials)
        if isinstance(answer, Refused):
            looser = _looser(body, answer, private=to.private)
            if looser is not None:
                body = looser
                continue
        return receipt("sendMessage", answer, credentials)


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Replace the text of a message; a text that stands there already is success.

    An edit may come again, but not by itself: a later text may have taken its place.
    """
    chat = posted.facts.get("chat", to.chat)
    body: JsonObject = {
        "chat_id": int(chat),
        "message_id": int(posted.id),
        **_content(draft),
    }
    while True:
        answer = yield from call("editMessageText", body, credentials)
        if isinstance(answer, Refused):
            if answer.says("message is not modified"):
                return posted
            looser = _looser(body, answer, private=False)
            if looser is not None:
                body = looser
                continue
        if isinstance(answer, Refused | Lost):
            raise failure("editMessageText", answer, credentials, repeatable=True)
        return posted


def signal(stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
    """Show typing, or a reaction; a chat that does not allow reactions is no failure."""
    if stage not in SIGNS:
        return
    method, sign = SIGNS[stage]
    body: JsonObject
    if method == "sendChatAction":
        body = {"chat_id": int(to.chat), "action": sign, **_thread(to)}
    elif to.anchor:
        emoji = {"type": "emoji", "emoji": sign}
        body = {"chat_id": int(to.chat), "message_id": int(to.anchor), "reaction": [emoji]}
    else:
        return
    answer = yield from call(method, body, credentials)
    if isinstance(answer, Refused | Lost):
        problem = failure(method, answer, credentials, repeatable=True)
        if not isinstance(problem, PostRejected):
            raise problem


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Ask for the bot's own account and give the credentials with it. Raises PostError."""
    answer = yield from call("getMe", {}, credentials, repeatable=True)
    if isinstance(answer, Refused | Lost):
        raise failure("getMe", answer, credentials, repeatable=True)
    bot = section(answer, "result") or {}
    identity = number(bot, "id")
    if identity is None:
        raise PlatformUnavailable("Telegram answered getMe without an account")
    return replace(credentials, identity=str(identity), identity_name=text(bot, "username"))


def call(
    method: str, body: JsonObject, credentials: Credentials, *, repeatable: bool = False
) -> Flow[Answer]:
    """Call a method with JSON parameters."""
    request = HttpRequest(
        method="POST",
        url=method_url(method, credentials),
        label=f"telegram {method}",
        headers={"content-type": "application/json"},
        body=json.dumps(body).encode(),
        repeatable=repeatable,
    )
    return refusal.read((yield from ask(request)))


def method_url(method: str, credentials: Credentials, kind: str = "") -> str:
    """Give a method's address: it holds the token and must not be shown."""
    root = credentials.base_url.rstrip("/") or f"https://{HOST}"
    return f"{root}{kind}/bot{credentials.secret('bot_token')}/{method}"


def address(to: Destination) -> JsonObject:
    """Give the parameters that place a message."""
    place: dict[str, Json] = {"chat_id": int(to.chat), **_thread(to)}
    if to.anchor:
        place["reply_parameters"] = {
            "message_id": int(to.anchor),
            "allow_sending_without_reply": True,
        }
    return place


def receipt(method: str, answer: Answer, credentials: Credentials) -> Receipt:
    """Give the proof that a message stands, with its chat. Raises PostError."""
    if isinstance(answer, Refused | Lost):
        raise failure(method, answer, credentials)
    message = section(answer, "result") or {}
    chat = section(message, "chat") or {}
    message_id, chat_id = number(message, "message_id"), number(chat, "id")
    if message_id is None:
        raise PostUnknown(f"Telegram answered {method} without a message")
    return Receipt(str(message_id), {} if chat_id is None else {"chat": str(chat_id)})


def failure(
    method: str, problem: Refused | Lost, credentials: Credentials, *, repeatable: bool = False
) -> PostError:
    """Give the error for a refusal, without any secret that was echoed in it."""
    error = refusal.error(method, problem, repeatable=repeatable)
    secrets = [secret.lower() for secret in credentials.secrets.values()]
    error.args = (redact(str(error), (*credentials.secrets.values(), *secrets)),)
    return error


def _content(draft: Draft) -> Mapping[str, Json]:
    content: dict[str, Json] = {
        "text": draft.text,
        "link_preview_options": {"is_disabled": True},
    }
    if ENTITIES in draft.facts:
        content[ENTITIES] = json.loads(draft.facts[ENTITIES])
    return content


def _thread(to: Destination) -> Mapping[str, Json]:
    thread = to.facts.get("thread", "")
    return {"message_thread_id": int(thread)} if thread else {}


def _looser(body: JsonObject, refused: Refused, *, private: bool) -> JsonObject | None:
    """Give the request without what was refused, None where nothing can be left out."""
    if refused.status != 400:
        return None
    if refused.moved_to and str(body["chat_id"]) != refused.moved_to:
        moved = {**body, "chat_id": int(refused.moved_to)}
        return _without(moved, "message_thread_id", "reply_parameters")
    if refused.says("entit") and ENTITIES in body:
        return _without(body, ENTITIES)
    # A forum topic takes no reply to a message that is gone, whatever we allow.
    if refused.says("replied", "reply not found") and "reply_parameters" in body:
        return _without(body, "reply_parameters")
    if refused.says("thread not found") and private and "message_thread_id" in body:
        return _without(body, "message_thread_id")
    return None


def _without(body: JsonObject, *names: str) -> JsonObject:
    return {name: value for name, value in body.items() if name not in names}
