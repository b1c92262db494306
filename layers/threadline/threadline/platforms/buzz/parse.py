"""What a session delivers becomes a message, or the reason why it never will.

A delivery is `{"event": …, "channel": {"name": …, "direct": …}}`; the session has verified the
event. https://github.com/nostr-protocol/nips/blob/master/10.md
"""

import json
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from threadline.core import keys
from threadline.core.errors import CredentialsRejected
from threadline.core.ids import DeliveryId, MessageId
from threadline.core.json import Json
from threadline.core.message import Ignored, Message, Messages, Parsed, Sender
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.buzz.event import CHAT, LATEST, Event, signer
from threadline.platforms.buzz.files import files_of, without_links

AUTHOR: Final = "author"
ROOT: Final = "root"
"""Facts of a destination: whom the answer mentions, and the message its thread began with."""

MOST_REPLIES: Final = 4
_HEX: Final = re.compile("[0-9a-f]{64}")


def parse(body: bytes, credentials: Credentials) -> Parsed:
    """Read one delivery. Never raises."""
    try:
        delivery = json.loads(body)
    except (ValueError, RecursionError):
        return Ignored(Reason.UNREADABLE)
    match delivery:
        case {
            "event": {
                "id": str(event_id),
                "pubkey": str(author),
                "created_at": int(created_at),
                "kind": int(kind),
                "tags": list(tags),
                "content": str(content),
            },
            "channel": dict(channel),
        } if _HEX.fullmatch(event_id) and _HEX.fullmatch(author) and 0 <= created_at < LATEST:
            pass
        case _:
            return Ignored(Reason.UNREADABLE)
    event = Event(event_id, author, created_at, kind, _tags(tags), _whole(content), {})
    parsed = _message(event, channel, credentials)
    if isinstance(parsed, Ignored):
        return Ignored(parsed.reason, parsed.detail, _delivery(event, credentials))
    return Messages((parsed,))


def own_key(credentials: Credentials) -> str:
    """Give our public key: the configured identity, else what belongs to the private key."""
    if credentials.identity:
        return credentials.identity.lower()
    try:
        return signer(credentials).pubkey
    except CredentialsRejected:
        return ""


def workspace(credentials: Credentials) -> str:
    """Name the relay by its host, and port if it has one."""
    return urlsplit(credentials.base_url).netloc


def without_mention(text: str) -> str:
    """Drop one leading `@name` where it is plain that it stands for us."""
    stripped = text.lstrip()
    name, _, rest = stripped.partition(" ")
    rest = rest.lstrip()
    if not name.startswith("@") or len(name) < 2 or name.endswith(",") or not rest:
        return text
    return text if rest.startswith("@") else rest


def thread(event: Event) -> tuple[str, tuple[str, ...]]:
    """Give the message that the thread began with, "" for none, and all that is replied to."""
    tags = [tag for tag in event.tags if tag[0] == "e" and len(tag) > 1 and "mention" not in tag]
    roots = [tag[1] for tag in tags if "root" in tag[3:4]]
    replied = [tag[1] for tag in tags]
    first = next(iter(roots or replied), "")
    return first, tuple(dict.fromkeys([*reversed(replied)]))[:MOST_REPLIES]


def _message(
    event: Event, channel: Mapping[str, Json], credentials: Credentials
) -> Message | Ignored:
    if event.kind != CHAT or not (chat := event.value("h")):
        return Ignored(Reason.UNKNOWN_EVENT, f"kind {event.kind}")
    us = own_key(credentials)
    if event.pubkey == us:
        return Ignored(Reason.OWN_MESSAGE)
    mentioned = us in [one.lower() for one in event.values("p")]
    said = without_mention(event.content) if mentioned else event.content
    files = files_of(event, credentials.base_url)
    if not (text := without_links(said, event, files)).strip() and not files:
        return Ignored(Reason.NO_CONTENT)
    direct = channel.get("direct") is True
    root, replied = thread(event)
    place = workspace(credentials)
    facts = {AUTHOR: event.pubkey}
    if root and root != event.id:
        facts[ROOT] = root
    return Message(
        platform=credentials.platform,
        app=credentials.app,
        workspace=place,
        chat=chat,
        topic="" if direct else root or event.id,
        id=MessageId(event.id),
        delivery=_delivery(event, credentials),
        mailbox=keys.mailbox_key(credentials.platform, credentials.app, place, chat),
        order=f"{event.created_at:012d}.{event.id}",
        sent_at=float(event.created_at),
        sender=Sender(event.pubkey),
        text=text,
        event="message",
        private=direct,
        addressed=direct or mentioned,
        replies_to=() if direct else tuple(MessageId(one) for one in replied),
        anchor=event.id,
        files=files,
        facts=facts,
    )


def _delivery(event: Event, credentials: Credentials) -> DeliveryId:
    return DeliveryId(f"{credentials.platform}-{credentials.app}-{event.id}")


def _tags(tags: list[Json]) -> tuple[tuple[str, ...], ...]:
    """Keep the tags that are lists of texts."""
    lists = [tag for tag in tags if isinstance(tag, list) and tag]
    return tuple(
        tuple(_whole(str(one)) for one in tag)
        for tag in lists
        if all(isinstance(one, str) for one in tag)
    )


def _whole(text: str) -> str:
    """Replace half characters: nothing that is signed has any, and not every store takes them."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
