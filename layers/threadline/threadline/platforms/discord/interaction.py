"""Slash commands and pressed buttons: they come by HTTP and want an answer within three seconds.

That answer only says that one follows; the message goes to the mailbox like any other.
https://docs.discord.com/developers/interactions/receiving-and-responding
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from threadline.core.command import recognise
from threadline.core.ids import MessageId
from threadline.core.message import (
    Handshake,
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
from threadline.platforms.discord.buttons import pressed_label
from threadline.platforms.discord.payload import (
    Fields,
    flag,
    number,
    section,
    sections,
    sent_at,
    snowflake,
    text,
)
from threadline.platforms.discord.place import Place, is_flat
from threadline.platforms.discord.written import delivery_id

PING, COMMAND, COMPONENT, AUTOCOMPLETE = 1, 2, 3, 4
KINDS: Final = MappingProxyType(
    {COMMAND: "command", COMPONENT: "component", AUTOCOMPLETE: "autocomplete", 5: "modal"}
)
THREADS: Final = frozenset({10, 11, 12})
"""Types of channels that are threads."""

PONG: Final = b'{"type":1}'
ANSWER_FOLLOWS: Final = b'{"type":5}'
SEEN: Final = b'{"type":6}'
NO_CHOICES: Final = b'{"type":8,"data":{"choices":[]}}'

TOKEN: Final = "interaction"  # noqa: S105 - the fact's name
"""The fact that holds what an answer to a command is sent with, valid for 15 minutes."""

PRESSED: Final = "pressed"
"""The fact that holds what the presser of a button alone can be told with, as long."""

APPLICATION: Final = "application"
_TOKEN: Final = re.compile(r"[A-Za-z0-9._=-]{1,300}")


def interacted(fields: Fields, credentials: Credentials) -> Parsed:
    """Read one interaction."""
    kind = number(fields, "type")
    if not snowflake(fields, "application_id"):
        return Ignored(Reason.UNREADABLE)
    if kind == PING:
        return Handshake(PONG)
    if kind == AUTOCOMPLETE:
        return Handshake(NO_CHOICES)
    interaction = _interaction(fields)
    if interaction is None:
        return Ignored(Reason.UNREADABLE)
    delivery = delivery_id(credentials, interaction.id)
    if kind == COMMAND:
        said = _said(section(fields, "data"))
        if not said:
            return Ignored(Reason.NO_CONTENT, delivery=delivery)
        return Messages((interaction.command(said, credentials),), answer=ANSWER_FOLLOWS)
    if kind == COMPONENT:
        label = pressed_label(fields)
        if not label or not interaction.post:
            return Ignored(Reason.UNKNOWN_EVENT, "component", delivery)
        return Messages((interaction.press(label, credentials),), answer=SEEN)
    return Ignored(Reason.UNKNOWN_EVENT, KINDS.get(kind, str(kind)), delivery)


@dataclass(frozen=True, slots=True)
class _Interaction:
    """Who did it and where; `post` is the message a pressed button stands under."""

    id: str
    guild: str
    channel: str
    parent: str
    user: Fields
    nick: str
    token: str
    application: str
    post: str

    def command(self, said: str, credentials: Credentials) -> Message:
        """Give a slash command as a message; it has no message of its own to be answered.

        A command of ours is about the channel; a question begins a conversation of its own.
        """
        place = self._place(self.id, credentials)
        topic = place.topic(begins=recognise(said) is None)
        facts = {TOKEN: self.token, APPLICATION: self.application}
        thread = place.facts(topic) if self.parent else {}
        return self._message(credentials, place, topic, said, facts={**thread, **facts})

    def press(self, label: str, credentials: Credentials) -> Message:
        """Give a pressed button as a message: it answers the question it stands under."""
        place = self._place(self.post, credentials)
        topic = place.topic(begins=True)
        thread = place.facts(topic) if self.parent else {}
        facts = {PRESSED: self.token, APPLICATION: self.application}
        return self._message(
            credentials, place, topic, label, post=self.post, facts={**thread, **facts}
        )  # fmt: skip

    def _place(self, message: str, credentials: Credentials) -> Place:
        flat = is_flat(credentials)
        return Place(self.guild, self.channel, message, self.parent, flat=flat)

    def _message(
        self,
        credentials: Credentials,
        place: Place,
        topic: str,
        said: str,
        *,
        facts: dict[str, str] | Fields,
        post: str = "",
    ) -> Message:
        return Message(
            platform=credentials.platform,
            app=credentials.app,
            workspace=place.guild,
            chat=place.chat,
            topic=topic,
            id=MessageId(self.id),
            delivery=delivery_id(credentials, self.id),
            mailbox=place.mailbox(credentials, topic),
            order=f"{self.id:0>20}",
            sent_at=sent_at(self.id),
            sender=self._sender(),
            text=said,
            kind=MessageKind.PRESS if post else MessageKind.CHAT,
            event="component" if post else "command",
            private=place.direct,
            addressed=True,
            awaited=not post,
            replies_to=(MessageId(post),) if post and topic == post else (),
            anchor=post,
            facts={name: str(value) for name, value in facts.items()},
        )

    def _sender(self) -> Sender:
        name = self.nick or text(self.user, "global_name") or text(self.user, "username")
        return Sender(
            snowflake(self.user, "id"),
            name,
            bot=flag(self.user, "bot"),
            trust=Trust.MEMBER if self.guild else Trust.NONE,
        )


def _interaction(fields: Fields) -> _Interaction | None:
    channel, member = section(fields, "channel"), section(fields, "member")
    thread = number(channel, "type") in THREADS
    found = _Interaction(
        id=snowflake(fields, "id"),
        guild=snowflake(fields, "guild_id"),
        channel=snowflake(channel, "id") or snowflake(fields, "channel_id"),
        parent=snowflake(channel, "parent_id") if thread else "",
        user=section(member, "user") or section(fields, "user"),
        nick=text(member, "nick"),
        token=text(fields, "token"),
        application=snowflake(fields, "application_id"),
        post=snowflake(section(fields, "message"), "id"),
    )
    complete = found.id and found.channel and found.application and snowflake(found.user, "id")
    return found if complete and _TOKEN.fullmatch(found.token) else None


def _said(command: Fields) -> str:
    """Give what a slash command says: `/new`, or the text of `/ask`; "" for nothing."""
    name = text(command, "name").lower()
    words = " ".join(_values(command)).strip()
    ours = f"/{name}"
    return f"{ours} {words}".strip() if recognise(ours) is not None else words


def _values(command: Fields) -> Iterator[str]:
    for option in sections(command, "options"):
        value = option.get("value")
        if isinstance(value, str):
            yield text(option, "value")
        elif type(value) in {int, float}:
            yield str(value)
        yield from _values(option)
