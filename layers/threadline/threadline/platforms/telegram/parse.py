"""An update becomes a message, or the reason why it never will.

https://core.telegram.org/bots/api#update
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from threadline.core import keys
from threadline.core.ids import DeliveryId, MessageId
from threadline.core.message import (
    FileRef,
    Ignored,
    Message,
    MessageKind,
    Messages,
    Parsed,
    Sender,
)
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.telegram.addressing import Bot, Heard, bot_of, hear, quoted
from threadline.platforms.telegram.files import files_of, named_only
from threadline.platforms.telegram.payload import (
    Fields,
    decode,
    flag,
    number,
    section,
    text,
    whole,
)

ALLOWED_UPDATES: Final = ("message", "edited_message")
"""The updates we ask Telegram for, by webhook and by polling."""

_BROADCASTS: Final = frozenset({"channel_post", "edited_channel_post"})
_GROUPS: Final = frozenset({"group", "supergroup"})


@dataclass(slots=True)
class _Place:
    """Where a message stands and who wrote it."""

    update: int
    edited: bool
    chat: int
    message: int
    date: int
    private: bool
    topic: int
    sender: Sender


def parse(body: bytes, credentials: Credentials) -> Parsed:
    """Read one update. Never raises."""
    update = decode(body)
    serial = None if update is None else number(update, "update_id")
    if update is None or serial is None:
        return Ignored(Reason.UNREADABLE)
    parsed = _read(update, serial, credentials)
    if isinstance(parsed, Ignored):
        return Ignored(parsed.reason, parsed.detail, _delivery(credentials, serial))
    return parsed


def _delivery(credentials: Credentials, serial: int) -> DeliveryId:
    return DeliveryId(f"{credentials.platform}-{credentials.app}-{serial}")


def _read(update: Fields, serial: int, credentials: Credentials) -> Parsed:
    for kind in ALLOWED_UPDATES:
        message = section(update, kind)
        if message is not None:
            return _message(serial, message, credentials, edited=kind == "edited_message")
    kind = _first(update, {"update_id"})
    if kind in ALLOWED_UPDATES:
        return Ignored(Reason.UNREADABLE)
    return Ignored(Reason.NO_SENDER if kind in _BROADCASTS else Reason.UNKNOWN_EVENT, kind)


def _message(serial: int, message: Fields, credentials: Credentials, *, edited: bool) -> Parsed:
    bot = bot_of(credentials)
    place = _place(serial, message, edited=edited)
    if isinstance(place, Ignored):
        return place
    silent = _never_for_us(message, place, bot)
    if silent is not None:
        return silent
    heard = hear(message, bot)
    if heard.elsewhere and not place.private:
        return Ignored(Reason.NOT_ADDRESSED, "another bot's command")
    files = files_of(message)
    if not heard.text and not files:
        named = named_only(message)
        # A live location is edited every few seconds: only its first message is answered.
        if named is None or edited or not (place.private or heard.addressed):
            return Ignored(Reason.NO_CONTENT, _happening(message))
        files = (named,)
    return Messages((_build(place, message, heard, files, credentials, bot),))


def _place(serial: int, message: Fields, *, edited: bool) -> _Place | Ignored:
    chat = section(message, "chat") or {}
    chat_id, message_id = number(chat, "id"), number(message, "message_id")
    date = number(message, "edit_date" if edited else "date")
    if chat_id is None or message_id is None or message_id < 1 or date is None:
        return Ignored(Reason.UNREADABLE)
    chat_type = text(chat, "type")
    if chat_type != "private" and chat_type not in _GROUPS:
        return Ignored(Reason.NO_SENDER, chat_type[:40])
    sender = section(message, "from") or {}
    sender_id = number(sender, "id")
    if sender_id is None:
        return Ignored(Reason.NO_SENDER)
    if section(message, "sender_chat") is not None:
        return Ignored(Reason.NO_SENDER, "in the name of a chat")
    # In groups without topics, replies carry a message_thread_id that leads nowhere.
    topic = number(message, "message_thread_id") if flag(message, "is_topic_message") else None
    return _Place(
        update=serial,
        edited=edited,
        chat=chat_id,
        message=message_id,
        date=date,
        private=chat_type == "private",
        topic=topic or 0,
        sender=Sender(str(sender_id), _name(sender), bot=flag(sender, "is_bot")),
    )


def _never_for_us(message: Fields, place: _Place, bot: Bot) -> Ignored | None:
    via = section(message, "via_bot")
    via_id = None if via is None else number(via, "id")
    if bot.id and (place.sender.id == str(bot.id) or via_id == bot.id):
        return Ignored(Reason.OWN_MESSAGE)
    if via_id is not None and not place.private:
        return Ignored(Reason.BOT_SENDER, "sent through another bot")
    return None


def _build(
    place: _Place,
    message: Fields,
    heard: Heard,
    files: tuple[FileRef, ...],
    credentials: Credentials,
    bot: Bot,
) -> Message:
    """Put the message together.

    An edit's id holds the number of its update, since one message may be edited many times.
    """
    own, edited = MessageId(str(place.message)), place.edited
    order = f"{place.message:016d}"
    app, name = credentials.app, credentials.platform
    return Message(
        platform=name,
        app=app,
        workspace="",
        chat=str(place.chat),
        topic=_topic(place, message),
        id=MessageId(f"{own}.{place.update}") if edited else own,
        delivery=_delivery(credentials, place.update),
        mailbox=keys.mailbox_key(name, app, str(place.chat)),
        order=f"{order}.{place.update:016d}" if edited else order,
        sent_at=float(place.date),
        sender=place.sender,
        text=heard.text,
        prompt="" if edited else _prompt(message, heard, bot),
        kind=MessageKind.EDIT if edited else MessageKind.CHAT,
        edits=own if edited else MessageId(""),
        event="edited_message" if edited else "message",
        private=place.private,
        addressed=place.private or heard.addressed,
        replies_to=_replies_to(place, message),
        anchor=str(own),
        files=files,
        facts={"thread": str(place.topic)} if place.topic else {},
    )


def _topic(place: _Place, message: Fields) -> str:
    """Name the conversation: a forum topic, a private chat, or in a group what was written.

    The photos of one album come as messages of their own and belong together.
    """
    if place.topic:
        return str(place.topic)
    if place.private:
        return ""
    album = text(message, "media_group_id")
    return f"album-{album}" if album else str(place.message)


def _replies_to(place: _Place, message: Fields) -> tuple[MessageId, ...]:
    """Name the message replied to where conversations go by replies."""
    reply = section(message, "reply_to_message")
    target = None if reply is None else number(reply, "message_id")
    if target is None or place.private or place.topic:
        return ()
    return (MessageId(str(target)),)


def _prompt(message: Fields, heard: Heard, bot: Bot) -> str:
    """Give the text with what it replies to, where that is more than the text."""
    quote = quoted(message, bot)
    if not quote or heard.text.startswith("/"):
        return ""
    return f"{quote}\n\n{heard.text}".rstrip()


def _name(user: Fields) -> str:
    full = f"{text(user, 'first_name')} {text(user, 'last_name')}".strip()
    return full or text(user, "username")


def _happening(message: Fields) -> str:
    """Name what a message without content is about, for the log; a migrated chat by its new id."""
    moved = number(message, "migrate_to_chat_id")
    if moved is not None:
        return f"the group is now chat {moved}"
    plain = {"message_id", "from", "chat", "date", "message_thread_id", "is_topic_message"}
    return _first(message, plain)


def _first(fields: Fields, known: Collection[str]) -> str:
    return next((whole(name)[:40] for name in fields if name not in known), "")
