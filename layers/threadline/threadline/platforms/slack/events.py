"""An event becomes a message, or the reason why it never will.

A post that mentions the bot comes as `message` and as `app_mention`. Both become the same message
under two delivery ids, each addressed, so that it does not matter which comes first or alone.
https://docs.slack.dev/reference/events/message, https://docs.slack.dev/reference/events/app_mention
"""

import hashlib
from dataclasses import dataclass
from typing import Final

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
from threadline.platforms.slack.blocks import passed_on, text_of
from threadline.platforms.slack.files import files_of
from threadline.platforms.slack.installation import Installation, installation_of
from threadline.platforms.slack.payload import (
    Fields,
    identity,
    moment,
    section,
    text,
)
from threadline.platforms.slack.place import Place
from threadline.platforms.slack.spoken import Heard, hear, visible

SAID: Final = frozenset({"", "bot_message", "file_share", "me_message", "thread_broadcast"})
"""Subtypes that people, or bots, write; all others are about a channel or a message."""

CHANGED: Final = "message_changed"
SLACKBOT: Final = "USLACKBOT"


def received(envelope: Fields, credentials: Credentials) -> Parsed:
    """Read one event with its envelope."""
    event = section(envelope, "event")
    installation = installation_of(envelope, credentials)
    delivery = delivery_id(credentials, identity(envelope, "event_id"))
    kind, subtype = text(event, "type"), text(event, "subtype")
    if not kind or installation is None or not delivery:
        return Ignored(Reason.UNREADABLE)
    if kind not in {"message", "app_mention"}:
        return Ignored(Reason.UNKNOWN_EVENT, kind[:40], delivery)
    said = section(event, "message") if subtype == CHANGED else event
    place = _place(event, said)
    if place is None:
        return Ignored(Reason.UNREADABLE, delivery=delivery)
    silent = _never_for_us(event, subtype, said, installation)
    if silent is not None:
        return Ignored(silent.reason, silent.detail, delivery)
    changed = subtype == CHANGED
    seen = _Seen(credentials, installation, place, event, kind, changed, said, delivery)
    return seen.parsed()


def delivery_id(credentials: Credentials, given: str) -> DeliveryId:
    """Name a delivery after the id that every repetition of it has, "" without one."""
    return DeliveryId(f"{credentials.platform}-{credentials.app}-{given}" if given else "")


def _place(event: Fields, said: Fields) -> Place | None:
    channel, ts = identity(event, "channel"), moment(said, "ts")
    if not channel or not ts:
        return None
    direct = text(event, "channel_type") in {"im", "app_home"} or channel.startswith("D")
    return Place(channel, ts, moment(said, "thread_ts"), direct=direct)


def _never_for_us(
    event: Fields, subtype: str, said: Fields, installation: Installation
) -> Ignored | None:
    """Tell why an event can never lead to anything: our own, nobody's, about something else."""
    if installation.wrote(said):
        return Ignored(Reason.OWN_MESSAGE)
    of_said = text(said, "subtype") if subtype == CHANGED else subtype
    if of_said not in SAID:
        return Ignored(Reason.NO_CONTENT, of_said[:40])
    if not identity(said, "user") and not identity(said, "bot_id"):
        return Ignored(Reason.NO_SENDER)
    if subtype == CHANGED and _unchanged(said, section(event, "previous_message")):
        return Ignored(Reason.NO_CONTENT, "nothing that was said has changed")
    return None


def _unchanged(said: Fields, before: Fields) -> bool:
    """Tell a real edit from a preview, a count of replies or a guess at the language."""
    if not before:
        return not section(said, "edited")
    return (
        text(said, "text") == text(before, "text")
        and text_of(said) == text_of(before)
        and files_of(said) == files_of(before)
    )


@dataclass(slots=True)
class _Seen:
    """One post with everything that says what it is; `changed`: the event is about an edit."""

    credentials: Credentials
    installation: Installation
    place: Place
    event: Fields
    kind: str
    changed: bool
    said: Fields
    delivery: DeliveryId

    def parsed(self) -> Parsed:
        """Give the post as a message; one without words and files is nothing to read."""
        heard, files = self._heard(), files_of(self.said)
        if not heard.text and not files:
            return Ignored(Reason.NO_CONTENT, delivery=self.delivery)
        return Messages((self._message(heard, files),))

    def _heard(self) -> Heard:
        bot = self.installation.bot
        heard = hear(text(self.said, "text"), bot)
        if heard.text:
            return heard
        return hear(text_of(self.said), bot)

    def _message(self, heard: Heard, files: tuple[FileRef, ...]) -> Message:
        place, installation = self.place, self.installation
        edited = self._edited()
        addressed = heard.addressed or self.kind == "app_mention"
        # Where the bot's own post began the thread, what is said in it is said to the bot.
        below_ours = place.in_thread and installation.is_bot(identity(self.said, "parent_user_id"))
        return Message(
            platform=self.credentials.platform,
            app=self.credentials.app,
            workspace=installation.workspace,
            chat=place.channel,
            topic=place.topic,
            id=self._id(heard, edited),
            delivery=self.delivery,
            mailbox=place.mailbox(self.credentials, installation.workspace),
            order=f"{place.ts}.{edited}" if edited else place.ts,
            sent_at=float(edited or place.ts),
            sender=self._sender(),
            text=heard.text,
            prompt="" if edited else self._prompt(heard),
            kind=MessageKind.EDIT if edited else MessageKind.CHAT,
            edits=MessageId(place.ts if edited else ""),
            event=self.kind,
            private=place.direct,
            addressed=place.direct or addressed or below_ours,
            replies_to=(MessageId(place.thread),) if below_ours and not place.direct else (),
            anchor=place.ts,
            files=files,
            facts=place.facts,
        )

    def _edited(self) -> str:
        """Give when the post was edited, where this event is about that; else "".

        Slack mentions the bot again, in an `app_mention` of its own, whenever such a post is
        edited.
        """
        if self.changed or self.kind == "app_mention":
            at = moment(section(self.said, "edited"), "ts")
            return at or (moment(self.event, "ts") or self.place.ts if self.changed else "")
        return ""

    def _id(self, heard: Heard, edited: str) -> MessageId:
        """Name the message; edits are told by the second and their text, in both kinds of event."""
        if not edited:
            return MessageId(self.place.ts)
        digest = hashlib.sha256(heard.text.encode()).hexdigest()[:12]
        return MessageId(f"{self.place.ts}.{edited}.{digest}")

    def _sender(self) -> Sender:
        user, bot = identity(self.said, "user"), identity(self.said, "bot_id")
        profile = section(self.said, "user_profile")
        name = text(profile, "display_name") or text(profile, "real_name")
        return Sender(
            id=user or bot,
            name=name or text(self.said, "username") or user or bot,
            bot=bool(bot) or user == SLACKBOT,
            trust=self._trust(),
        )

    def _trust(self) -> Trust:
        """Tell members of the installation's workspace from guests out of other companies."""
        said = self.said
        team = identity(said, "user_team") or identity(said, "source_team")
        team = team or identity(said, "team") or identity(section(said, "user_profile"), "team")
        return self.installation.trust(team)

    def _prompt(self, heard: Heard) -> str:
        """Give the text with the messages it passes on, where they are not the text itself."""
        passed = passed_on(self.said)
        shared = visible(passed, self.installation.bot).strip() if passed else ""
        if not shared or shared in heard.text or heard.text.startswith("/"):
            return ""
        quote = "\n".join(f"> {line}" for line in shared.splitlines())
        return f"{quote}\n\n{heard.text}"
