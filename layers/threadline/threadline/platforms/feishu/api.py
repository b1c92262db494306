"""Conversations with the API: a card posted and changed in place, reactions, the bot's own name.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/reply
https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/patch
"""

import hashlib
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from threadline.core.errors import PlatformUnavailable, PostRejected, PostUnknown
from threadline.core.http import Flow, Lost
from threadline.core.json import JsonObject
from threadline.core.posting import Credentials, Destination, Draft, Receipt, Stage
from threadline.core.texts import LANGUAGES, say
from threadline.platforms.feishu import rest
from threadline.platforms.feishu.card import card, element_of, written
from threadline.platforms.feishu.payload import section, text
from threadline.platforms.feishu.refusal import (
    ANCHOR_GONE,
    CARD_GONE,
    CARD_REFUSED,
    CONTENT_REFUSED,
    Answer,
    Refused,
)
from threadline.platforms.feishu.render import PROGRESS
from threadline.platforms.feishu.rest import Call

ELEMENT: Final = "element"
"""The fact of a receipt that names the text inside the card."""
REACTIONS: Final = MappingProxyType(
    {Stage.ACCEPTED: "OK", Stage.RUNNING: "OK", Stage.DONE: "DONE", Stage.REFUSED: "CrossMark"}
)


def post(draft: Draft, to: Destination, credentials: Credentials, nonce: str) -> Flow[Receipt]:
    """Reply with a card, or write it into the chat where the message is gone. Raises PostError.

    Under one nonce Feishu posts at most once within an hour, so that the call may be repeated.
    """
    element = element_of(nonce)
    content = written(card(draft.text, element))
    answer, wanted = yield from send("interactive", content, to, credentials, nonce)
    if _is(answer, CARD_REFUSED):
        content = written(card(draft.text, element, plain=True))
        answer, wanted = yield from send("interactive", content, to, credentials, nonce)
    return receipt(answer, wanted, credentials, element)


def edit(draft: Draft, posted: Receipt, to: Destination, credentials: Credentials) -> Flow[Receipt]:
    """Change the card; a final text whose card is gone is posted anew. Raises PostError.

    Where Feishu takes the card but not these words, the card says so instead of working on.
    """
    element = posted.facts.get(ELEMENT) or element_of(_digest(posted.id))
    final = PROGRESS not in draft.facts
    answer, wanted = yield from _patch(posted, card(draft.text, element), credentials)
    if _is(answer, CARD_REFUSED):
        plain = card(draft.text, element, plain=True)
        answer, wanted = yield from _patch(posted, plain, credentials)
    if final and _is(answer, CARD_GONE):
        nonce = _digest(f"instead of {posted.id}")
        return (yield from post(draft, to, credentials, nonce))
    if final and _is(answer, CONTENT_REFUSED | CARD_REFUSED):
        notice = "\n\n".join(say("content_refused", language) for language in LANGUAGES)
        yield from _patch(posted, card(notice, element), credentials)
    rest.succeeded(answer, wanted, credentials)
    return posted


def signal(stage: Stage, to: Destination, credentials: Credentials) -> Flow[None]:
    """React to the message; a chat or message that takes no reaction is no failure."""
    if stage not in REACTIONS or not to.anchor:
        return
    body: JsonObject = {"reaction_type": {"emoji_type": REACTIONS[stage]}}
    wanted = rest.of_json("POST", f"im/v1/messages/{to.anchor}/reactions", "reaction", body)
    answer = yield from rest.call(wanted, credentials)
    if isinstance(answer, Refused | Lost):
        problem = rest.failure(answer, wanted, credentials)
        if not isinstance(problem, PostRejected):
            raise problem


def identify(credentials: Credentials) -> Flow[Credentials]:
    """Ask for the bot's own account and give the credentials with it. Raises PostError.

    https://open.feishu.cn/document/ukTMukTMukTM/uAjMxEjLwITMx4CMyETM
    """
    wanted = rest.of_json("GET", "bot/v3/info", "bot info")
    said = rest.succeeded((yield from rest.call(wanted, credentials)), wanted, credentials)
    bot = section(said, "bot")
    if not text(bot, "open_id"):
        raise PlatformUnavailable("Feishu answered bot info without an account")
    return replace(
        credentials, identity=text(bot, "open_id"), identity_name=text(bot, "app_name")
    )  # fmt: skip


def send(
    kind: str, content: str, to: Destination, credentials: Credentials, nonce: str
) -> Flow[tuple[Answer, Call]]:
    """Reply to the destination's message; where that is gone, write into its chat."""
    body: JsonObject = {"msg_type": kind, "content": content, "uuid": nonce}
    if to.anchor:
        wanted = rest.of_json("POST", f"im/v1/messages/{to.anchor}/reply", "reply", body, adds=True)
        answer = yield from rest.call(wanted, credentials)
        if not _is(answer, ANCHOR_GONE):
            return answer, wanted
    body = {**body, "receive_id": to.chat}
    path = "im/v1/messages?receive_id_type=chat_id"
    wanted = rest.of_json("POST", path, "message", body, adds=True)
    return (yield from rest.call(wanted, credentials)), wanted


def receipt(answer: Answer, wanted: Call, credentials: Credentials, element: str = "") -> Receipt:
    """Give the proof that a message stands. Raises PostError."""
    said = rest.succeeded(answer, wanted, credentials)
    message = text(section(said, "data"), "message_id")
    if not message:
        raise PostUnknown(f"Feishu answered {wanted.what} without a message")
    return Receipt(message, {ELEMENT: element} if element else {})


def _patch(
    posted: Receipt, shown: JsonObject, credentials: Credentials
) -> Flow[tuple[Answer, Call]]:
    body: JsonObject = {"content": written(shown)}
    wanted = rest.of_json("PATCH", f"im/v1/messages/{posted.id}", "card", body)
    return (yield from rest.call(wanted, credentials)), wanted


def _is(answer: Answer, codes: frozenset[int]) -> bool:
    return isinstance(answer, Refused) and answer.code in codes


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:32]
