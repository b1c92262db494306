"""What was typed into the page becomes a message, or the reason why it never will.

A delivery is `{"type": "message", "id": 7, "chat": "c1", "at": 1790000000.5, "from": {"id": "you",
"name": "You"}, "text": "hello", "files": [{"id": "f1", "name": "a.txt", "mime": "text/plain",
"size": 12}]}`; ids of messages are unique in the installation.
"""

import json
import re
from collections.abc import Mapping
from typing import Final

from threadline.core import keys
from threadline.core.ids import DeliveryId, MessageId
from threadline.core.message import FileRef, Ignored, Message, Messages, Parsed, Sender
from threadline.core.posting import Credentials
from threadline.core.reasons import Reason
from threadline.platforms.playground.limits import BOT, MAX_FILE, MAX_TEXT, MOST_FILES

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
"""How chats, accounts and files are called."""

MIME: Final = re.compile(r"[a-z]+/[a-z0-9.+-]{1,80}")
_LARGEST_ID: Final = 2**53
_LATEST: Final = 1e11

type Fields = Mapping[str, object]


def parse(body: bytes, credentials: Credentials) -> Parsed:
    """Read one delivery. Never raises."""
    fields = _decode(body)
    if fields is None:
        return Ignored(Reason.UNREADABLE)
    kind = fields.get("type")
    if kind != "message":
        known = isinstance(kind, str) and kind.isascii() and kind.isprintable()
        return Ignored(Reason.UNKNOWN_EVENT, str(kind)[:40]) if known else _unreadable("type")
    place = _place(fields)
    if isinstance(place, Ignored):
        return place
    sender = _sender(fields.get("from"))
    if sender is None:
        return Ignored(Reason.NO_SENDER)
    if sender.id == (credentials.identity or BOT):
        return Ignored(Reason.OWN_MESSAGE)
    return _message(fields, credentials, sender, place)


def _place(fields: Fields) -> tuple[int, str, float] | Ignored:
    """Read a message's number, chat and time."""
    number, chat, at = fields.get("id"), _name(fields.get("chat")), fields.get("at")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < _LARGEST_ID:
        return _unreadable("id")
    if not chat:
        return _unreadable("chat")
    if not isinstance(at, int | float) or isinstance(at, bool) or not 0 < at < _LATEST:
        return _unreadable("at")
    return number, chat, float(at)


def _message(
    fields: Fields, credentials: Credentials, sender: Sender, place: tuple[int, str, float]
) -> Parsed:
    number, chat, at = place
    text, files = fields.get("text"), _files(fields.get("files", []))
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        return _unreadable("text")
    if files is None:
        return _unreadable("files")
    if not text.strip() and not files:
        return Ignored(Reason.NO_CONTENT)
    name, app = credentials.platform, credentials.app
    message = Message(
        platform=name,
        app=app,
        workspace="",
        chat=chat,
        topic="",
        id=MessageId(str(number)),
        delivery=DeliveryId(f"{name}-{app}-{number}"),
        mailbox=keys.mailbox_key(name, app, chat),
        order=f"{number:016d}",
        sent_at=at,
        sender=sender,
        text=_whole(text).strip(),
        event="message",
        private=True,
        addressed=True,
        anchor=str(number),
        files=files,
    )
    return Messages((message,))


def _sender(value: object) -> Sender | None:
    account = _name(value.get("id")) if isinstance(value, Mapping) else ""
    if not isinstance(value, Mapping) or not account:
        return None
    name = value.get("name")
    return Sender(account, _whole(name)[:80] if isinstance(name, str) else "")


def _files(value: object) -> tuple[FileRef, ...] | None:
    """Read the list of attached files, None where it is none or too long."""
    if not isinstance(value, list) or len(value) > MOST_FILES:
        return None
    files = [_file(one) for one in value]
    return None if None in files else tuple(one for one in files if one is not None)


def _file(value: object) -> FileRef | None:
    if not isinstance(value, Mapping):
        return None
    file, name, mime, size = (value.get(key) for key in ("id", "name", "mime", "size"))
    if not _name(file) or not isinstance(name, str) or not name.strip():
        return None
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MAX_FILE:
        return None
    kind = mime if isinstance(mime, str) and MIME.fullmatch(mime) else "application/octet-stream"
    return FileRef(
        id=_name(file), name=_whole(name)[:120], mime=kind, size=size,
        image=kind.startswith("image/"),
    )  # fmt: skip


def _decode(body: bytes) -> Fields | None:
    try:
        value = json.loads(body.decode())
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _name(value: object) -> str:
    """Give a name such as chats have, "" where it is none."""
    return value if isinstance(value, str) and NAME.fullmatch(value) else ""


def _unreadable(what: str) -> Ignored:
    return Ignored(Reason.UNREADABLE, what)


def _whole(text: str) -> str:
    """Replace lone surrogates, which no encoding of Unicode can carry."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
