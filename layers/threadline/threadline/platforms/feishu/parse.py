"""An event becomes a message, or the reason why it never will.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/events/receive
"""

import json
from typing import Final

from threadline.core import keys
from threadline.core.ids import DeliveryId, MessageId
from threadline.core.message import (
    Handshake,
    Ignored,
    Message,
    Messages,
    Parsed,
    Sender,
    Trust,
    Webhook,
)
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.feishu.content import Content, content_of
from threadline.platforms.feishu.mentions import Mentions, mentions_of
from threadline.platforms.feishu.opening import (
    KEY,
    has_token,
    is_challenge,
    unsealed,
    values,
)
from threadline.platforms.feishu.payload import Fields, decode, milliseconds, section, text
from threadline.platforms.feishu.verify import SIGNATURE

RECEIVED: Final = "im.message.receive_v1"
THREAD: Final = "thread"
"""The fact of a destination that names Feishu's own topic."""

_NOTHING_SAID: Final = frozenset(
    {
        "im.message.message_read_v1",
        "im.message.reaction.created_v1",
        "im.message.reaction.deleted_v1",
        "im.message.recalled_v1",
        "im.chat.access_event.bot_p2p_chat_entered_v1",
        "im.chat.member.bot.added_v1",
        "im.chat.member.bot.deleted_v1",
    }
)
_LONGEST_CHALLENGE: Final = 1000


def parse(request: Webhook, credentials: Credentials) -> Parsed:
    """Read one delivery. Never raises."""
    body = decode(request.body)
    said = unsealed(body, credentials)
    if body is None or said is None or (said is body and _should_be_sealed(request, credentials)):
        return Ignored(Reason.UNREADABLE)
    if is_challenge(said):
        return _answered(said, credentials)
    header = section(said, "header")
    event_id, kind = text(header, "event_id"), text(header, "event_type")
    if not event_id:
        first_version = text(said, "type") == "event_callback" and text(said, "uuid")
        return Ignored(Reason.UNKNOWN_EVENT if first_version else Reason.UNREADABLE)
    delivery = f"{credentials.platform}-{credentials.app}-{keys.escape(event_id)}"
    if kind != RECEIVED:
        reason = Reason.NO_CONTENT if kind in _NOTHING_SAID else Reason.UNKNOWN_EVENT
        return Ignored(reason, kind[:60], delivery)
    parsed = _received(section(said, "event"), header, delivery, credentials)
    return parsed if isinstance(parsed, Ignored) else Messages((parsed,))


def _should_be_sealed(request: Webhook, credentials: Credentials) -> bool:
    """Tell whether a delivery must not come plain: Feishu seals everything under an Encrypt Key.

    Over the long connection, which nobody signs, everything comes plain.
    """
    return SIGNATURE in request.headers and bool(values(credentials, KEY))


def _answered(said: Fields, credentials: Credentials) -> Parsed:
    challenge = text(said, "challenge")
    if not has_token(said, credentials) or not 0 < len(challenge) <= _LONGEST_CHALLENGE:
        return Ignored(Reason.UNREADABLE)
    return Handshake(json.dumps({"challenge": challenge}).encode())


def _received(
    event: Fields, header: Fields, delivery: str, credentials: Credentials
) -> Message | Ignored:
    message = section(event, "message")
    identity, chat = text(message, "message_id"), text(message, "chat_id")
    sent_at = milliseconds(message, "create_time")
    if not identity or not chat or sent_at < 0:
        return Ignored(Reason.UNREADABLE, delivery=delivery)
    sender = _sender(event, header, credentials)
    if not isinstance(sender, Sender):
        return Ignored(sender, delivery=delivery)
    kind = text(message, "message_type") or text(message, "msg_type")
    content = content_of(kind, text(message, "content"), identity)
    if content is None:
        return Ignored(Reason.NO_CONTENT, kind, delivery)
    mentions = mentions_of(message, credentials)
    addressed = text(message, "chat_type") == "p2p" or bool(mentions.ours)
    words, files = mentions.heard(content.words), content.files
    if not words and not files:
        if content.only is None or not addressed:
            return Ignored(Reason.NO_CONTENT, kind[:40], delivery)
        files = (content.only,)
    return _build(message, sender, Content(words, files), mentions, delivery, credentials)


def _sender(event: Fields, header: Fields, credentials: Credentials) -> Sender | Reason:
    """Give who wrote, or why nobody is answered; people of another organisation have no trust."""
    sender = section(event, "sender")
    identity, kind = text(section(sender, "sender_id"), "open_id"), text(sender, "sender_type")
    if kind != "user" and _is_ours(section(sender, "sender_id"), credentials):
        return Reason.OWN_MESSAGE
    if kind == "app":
        return Reason.BOT_SENDER
    if kind not in {"user", "bot"} or not identity:
        return Reason.NO_SENDER
    home, theirs = text(header, "tenant_key"), text(sender, "tenant_key")
    trust = Trust.MEMBER if home and home == theirs else Trust.NONE
    return Sender(identity, bot=kind == "bot", trust=trust)


def _is_ours(identities: Fields, credentials: Credentials) -> bool:
    ours = {credentials.identity, credentials.secret("app_id")} - {""}
    return any(value in ours for value in identities.values() if isinstance(value, str))


def _build(
    message: Fields,
    sender: Sender,
    content: Content,
    mentions: Mentions,
    delivery: str,
    credentials: Credentials,
) -> Message:
    """Put the message together; its own id is the one to be known again by, not the event's."""
    identity, chat = MessageId(text(message, "message_id")), text(message, "chat_id")
    private, thread = text(message, "chat_type") == "p2p", text(message, "thread_id")
    sent_at = milliseconds(message, "create_time")
    root, parent = text(message, "root_id"), text(message, "parent_id")
    return Message(
        platform=credentials.platform,
        app=credentials.app,
        workspace="",
        chat=chat,
        topic="" if private else thread or root or identity,
        id=identity,
        delivery=DeliveryId(delivery),
        mailbox=keys.mailbox_key(credentials.platform, credentials.app, chat),
        order=f"{sent_at:016d}.{identity}",
        sent_at=sent_at / 1000,
        sender=sender,
        text=content.words,
        event=RECEIVED,
        private=private,
        addressed=private or bool(mentions.ours),
        replies_to=() if private else _replies_to(parent, root),
        anchor=identity,
        files=content.files,
        facts={THREAD: thread} if thread else {},
    )


def _replies_to(*messages: str) -> tuple[MessageId, ...]:
    """Name what is replied to, nearest first: an answer of ours, or what began it all."""
    return tuple(MessageId(one) for one in dict.fromkeys(messages) if one)
