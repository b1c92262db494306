"""A message that was written or edited becomes a message of ours, or the reason why it never will.

https://docs.discord.com/developers/resources/message#message-object
"""

import re
from dataclasses import dataclass

from threadline.core.ids import DeliveryId, MessageId
from threadline.core.message import (
    FileRef,
    Ignored,
    Message,
    MessageKind,
    Messages,
    Parsed,
    Sender,
    Trust,
)
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.discord.files import files_of, stickers_of
from threadline.platforms.discord.payload import (
    Fields,
    flag,
    ids,
    number,
    section,
    sent_at,
    snowflake,
    text,
)
from threadline.platforms.discord.place import Place, is_flat
from threadline.platforms.discord.reading import HIDDEN, SAID, shows
from threadline.platforms.discord.spoken import Heard, hear, own_id, quoted, replies_to_bot


def written(event: Fields, credentials: Credentials) -> Parsed:
    """Read MESSAGE_CREATE or MESSAGE_UPDATE."""
    message = section(event, "d")
    identity, channel = snowflake(message, "id"), snowflake(message, "channel_id")
    if not (identity and channel):
        return Ignored(Reason.UNREADABLE)
    delivery = delivery_id(credentials, identity)
    bot = own_id(credentials)
    silent = _never_for_us(event, message, bot)
    if silent is not None:
        return Ignored(silent.reason, silent.detail, delivery)
    known = section(event, "place")
    place = Place(
        guild=snowflake(message, "guild_id"),
        channel=channel,
        message=identity,
        parent=snowflake(known, "parent"),
        ours=flag(known, "ours"),
        flat=is_flat(credentials),
    )
    heard = hear(message, bot, ids(known, "roles"))
    edit = edited_at(message) if text(event, "t") == "MESSAGE_UPDATE" else ""
    return _Seen(credentials, place, message, heard, bot, edit).parsed(delivery)


def delivery_id(credentials: Credentials, given: str) -> DeliveryId:
    """Name a delivery after the id of what it is about: the same whichever way it comes."""
    return DeliveryId(f"{credentials.platform}-{credentials.app}-{given}")


def edited_at(message: Fields) -> str:
    """Give when a message was last edited, as digits that sort; "" for never.

    An edit is told again, with the same time, when a preview is added to it.
    """
    return re.sub(r"\D", "", text(message, "edited_timestamp"))[:20]


def _never_for_us(event: Fields, message: Fields, bot: str) -> Ignored | None:
    author = snowflake(section(message, "author"), "id")
    if not author:
        return Ignored(Reason.NO_SENDER)
    if bot and bot in {author, snowflake(message, "application_id")}:
        return Ignored(Reason.OWN_MESSAGE)
    kind = number(message, "type")
    if kind not in SAID:
        return Ignored(Reason.NO_CONTENT, f"message of type {kind}")
    if text(event, "t") == "MESSAGE_UPDATE" and not edited_at(message):
        return Ignored(Reason.NO_CONTENT, "nothing that was said has changed")
    return None


@dataclass(frozen=True, slots=True)
class _Seen:
    """One message with everything that says what it is."""

    credentials: Credentials
    place: Place
    message: Fields
    heard: Heard
    bot: str
    edit: str

    def parsed(self, delivery: DeliveryId) -> Parsed:
        """Give the message; one without words, files or a quote is nothing to read."""
        heard, files = self.heard, files_of(self.message, self.place.channel)
        quote = quoted(self.message, self.bot)
        spoken_to = self.place.direct or heard.addressed
        if not (heard.text or files or (quote and spoken_to)):
            files = stickers_of(self.message) if spoken_to and not self.edit else ()
            if not files:
                shown = shows(self.message, self.bot, addressed=heard.addressed)
                return Ignored(Reason.NO_CONTENT, HIDDEN if shown is False else "", delivery)
        prompt = f"{quote}\n\n{heard.text}".strip() if quote and heard.text[:1] != "/" else ""
        return Messages((self._message(delivery, files, "" if self.edit else prompt),))

    def _message(self, delivery: DeliveryId, files: tuple[FileRef, ...], prompt: str) -> Message:
        place, own, edit = self.place, self.place.message, self.edit
        # Where the bot answered in the channel itself, a reply to it goes on with what it said.
        below = replies_to_bot(self.message, self.bot) and not place.parent
        topic = place.topic(begins=True)
        return Message(
            platform=self.credentials.platform,
            app=self.credentials.app,
            workspace=place.guild,
            chat=place.chat,
            topic=topic,
            id=MessageId(f"{own}.{edit}" if edit else own),
            delivery=DeliveryId(f"{delivery}.{edit}" if edit else delivery),
            mailbox=place.mailbox(self.credentials, topic),
            order=f"{own:0>20}.{edit}" if edit else f"{own:0>20}",
            sent_at=sent_at(own),
            sender=self._sender(),
            text=self.heard.text,
            prompt=prompt,
            kind=MessageKind.EDIT if edit else MessageKind.CHAT,
            edits=MessageId(own if edit else ""),
            event="MESSAGE_UPDATE" if edit else "MESSAGE_CREATE",
            private=place.direct,
            addressed=place.direct or place.ours or self.heard.addressed,
            replies_to=self._answered() if below and topic else (),
            anchor=own,
            files=files,
            facts={} if below else place.facts(topic, self.heard.text),
        )

    def _answered(self) -> tuple[MessageId, ...]:
        answered = snowflake(section(self.message, "referenced_message"), "id")
        return (MessageId(answered),) if answered else ()

    def _sender(self) -> Sender:
        author = section(self.message, "author")
        webhook = snowflake(self.message, "webhook_id")
        nick = text(section(self.message, "member"), "nick")
        name = nick or text(author, "global_name") or text(author, "username")
        member = bool(self.place.guild) and not webhook
        return Sender(
            id=snowflake(author, "id"),
            name=name,
            bot=bool(webhook) or flag(author, "bot"),
            trust=Trust.MEMBER if member else Trust.NONE,
        )
