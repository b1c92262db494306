"""Updates to messages: whose conversation, which kind, and why not."""

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.contract.platforms.telegram import CREDENTIALS
from tests.unit.telegram.updates import ADA, BOT, GROUP, PRIVATE, message, parsed, reason, taken
from threadline.core import keys
from threadline.core.message import Ignored, MessageKind
from threadline.core.reasons import Reason
from threadline.platforms.telegram.parse import ALLOWED_UPDATES, parse

REPLY = {"message_id": 15, "from": ADA, "chat": GROUP, "date": 1, "text": "earlier"}
SIZES = [
    {"file_id": "small", "width": 90, "height": 90, "file_size": 900},
    {"file_id": "wide", "width": 800, "height": 600, "file_size": 50},
    {"file_id": "dense", "width": 600, "height": 800, "file_size": 70},
]


@pytest.mark.parametrize(
    ("fields", "topic", "replies_to"),
    [
        ({"chat": PRIVATE}, "", ()),
        ({"chat": PRIVATE, "reply_to_message": REPLY}, "", ()),
        ({}, "20", ()),
        ({"reply_to_message": REPLY}, "20", ("15",)),
        ({"reply_to_message": REPLY, "message_thread_id": 15}, "20", ("15",)),
        ({"is_topic_message": True, "message_thread_id": 4}, "4", ()),
        ({"is_topic_message": True, "message_thread_id": 4, "reply_to_message": REPLY}, "4", ()),
        ({"chat": PRIVATE, "is_topic_message": True, "message_thread_id": 9}, "9", ()),
        ({"media_group_id": "77"}, "album-77", ()),
        ({"chat": PRIVATE, "media_group_id": "77"}, "", ()),
        ({"is_topic_message": True}, "20", ()),
    ],
)
def test_where_a_message_belongs(
    fields: dict[str, Any], topic: str, replies_to: tuple[str, ...]
) -> None:
    """Private chats are one conversation, topics one each, and in groups replies lead back."""
    got = taken(text="hi", **fields)
    assert (got.topic, got.replies_to) == (topic, replies_to)
    assert got.anchor == "20"
    assert got.facts == (
        {"thread": topic} if "is_topic_message" in fields and topic != "20" else {}
    )


def test_order_follows_the_platforms_numbers() -> None:
    """Messages sort by their number as text; an edit sorts behind its original."""
    numbers = [3, 20, 100, 99_999, 2**40]
    orders = [taken(text="x", message_id=number).order for number in numbers]
    assert orders == sorted(orders)
    edit = taken(kind="edited_message", text="x", message_id=20, edit_date=1_790_000_009)
    assert taken(text="x", message_id=20).order < edit.order < orders[2]


def test_each_edit_is_a_message_of_its_own() -> None:
    """Two edits of one message, even in one second, differ; the same edit again does not."""
    fields = {"kind": "edited_message", "text": "new", "edit_date": 1_790_000_009}
    first, second, again = (taken(update=update, **fields) for update in (901, 902, 901))
    assert first.id != second.id
    assert first == again
    assert {first.kind, second.kind} == {MessageKind.EDIT}
    assert {first.edits, second.edits} == {"20"}
    assert first.topic == taken(text="old").topic
    assert first.mailbox == taken(text="old").mailbox
    assert first.sent_at == 1_790_000_009


def test_deliveries_are_named_by_bot_and_number() -> None:
    """Two bots may use one update number: their deliveries have different names."""
    assert taken(text="x", update=900).delivery == "telegram-default-900"


def test_one_chat_is_one_mailbox() -> None:
    """All topics and replies of a chat share its mailbox; another chat has its own."""
    first, second = taken(text="a"), taken(text="b", is_topic_message=True, message_thread_id=4)
    assert first.mailbox == second.mailbox == keys.mailbox_key("telegram", "default", "-100500")
    assert taken(chat=PRIVATE, text="c").mailbox != first.mailbox


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"from": None, "text": "x"}, Reason.NO_SENDER),
        ({"sender_chat": GROUP, "text": "x"}, Reason.NO_SENDER),
        ({"chat": {"id": -5, "type": "channel"}, "text": "x"}, Reason.NO_SENDER),
        ({"from": BOT, "text": "x"}, Reason.OWN_MESSAGE),
        ({"via_bot": BOT, "text": "x"}, Reason.OWN_MESSAGE),
        ({"via_bot": {"id": 5, "is_bot": True}, "text": "x"}, Reason.BOT_SENDER),
        ({"text": "  \n "}, Reason.NO_CONTENT),
        ({}, Reason.NO_CONTENT),
        ({"pinned_message": {"message_id": 3}}, Reason.NO_CONTENT),
        ({"migrate_to_chat_id": -1009}, Reason.NO_CONTENT),
        ({"location": {"latitude": 1.0, "longitude": 2.0}}, Reason.NO_CONTENT),
        ({"chat": None, "text": "x"}, Reason.UNREADABLE),
        ({"date": None, "text": "x"}, Reason.UNREADABLE),
        ({"date": 1.5, "text": "x"}, Reason.UNREADABLE),
        ({"message_id": "20", "text": "x"}, Reason.UNREADABLE),
        ({"message_id": True, "text": "x"}, Reason.UNREADABLE),
        ({"message_id": 2**70, "text": "x"}, Reason.UNREADABLE),
        ({"kind": "edited_message", "text": "x"}, Reason.UNREADABLE),
    ],
)
def test_what_can_never_be_for_us_says_why(fields: dict[str, Any], why: str) -> None:
    """Posts without a person, our own, empty ones and unreadable ones are ignored by reason."""
    assert reason(**fields) == why


def test_other_updates_are_unknown() -> None:
    """Kinds of updates we do not ask for are named in the reason."""
    body = json.dumps({"update_id": 1, "poll_answer": {}}).encode()
    assert parse(body, CREDENTIALS) == Ignored(Reason.UNKNOWN_EVENT, "poll_answer")
    assert parse(b'{"update_id": 1}', CREDENTIALS) == Ignored(Reason.UNKNOWN_EVENT)
    assert parse(b'{"update_id": 1, "message": 7}', CREDENTIALS) == Ignored(Reason.UNREADABLE)
    assert ALLOWED_UPDATES == ("message", "edited_message")


def test_a_live_location_is_answered_once() -> None:
    """A location shared live is edited again and again: only its beginning is a message."""
    where = {"location": {"latitude": 1.0, "longitude": 2.0, "live_period": 900}, "chat": PRIVATE}
    assert taken(**where).files[0].problem == "unsupported"
    assert reason(kind="edited_message", edit_date=1_790_000_009, **where) == Reason.NO_CONTENT


@pytest.mark.parametrize("kind", ["sticker", "location", "venue", "contact", "poll", "dice"])
def test_nobody_is_answered_by_silence(kind: str) -> None:
    """What we cannot take is still a message where it speaks to us, naming what it was."""
    got = taken(chat=PRIVATE, **{kind: {"x": 1}})
    (file,) = got.files
    assert (file.name, file.problem, file.id) == (kind, "unsupported", "")


def test_the_largest_photo_is_taken() -> None:
    """Of a photo's sizes the one with the most points is fetched, ties by weight."""
    (file,) = taken(photo=SIZES).files
    assert (file.id, file.name, file.mime, file.image) == (
        "dense", "telegram-photo-20.jpg", "image/jpeg", True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("a\\b\\c.txt", "c.txt"),
        ("..", "telegram-document-20.bin"),
        ("", "telegram-document-20.bin"),
        (None, "telegram-document-20.bin"),
        ("evil\nname", "telegram-document-20.bin"),
        ("x" * 300, "telegram-document-20.bin"),
        ("日" * 86, "telegram-document-20.bin"),
        ("报告.docx", "报告.docx"),
    ],
)
def test_file_names_are_safe(given: str | None, name: str) -> None:
    """A document's name is its last part, or ours where that is no name for a file."""
    (file,) = taken(document={"file_id": "f", "file_name": given}).files
    assert file.name == name


@pytest.mark.parametrize(
    ("size", "known", "problem"),
    [
        (20_000_000, 20_000_000, ""),
        (20_000_001, 20_000_001, "too_large"),
        (None, -1, ""),
        (True, -1, ""),
        (-5, -1, ""),
        ("9", -1, ""),
    ],
)
def test_declared_sizes_are_checked(size: Any, known: int, problem: str) -> None:
    """Exactly the limit is taken, a byte more is not, and nonsense counts as unknown."""
    (file,) = taken(document={"file_id": "f", "file_size": size}).files
    assert (file.size, file.problem) == (known, problem)


def test_sound_and_film_are_files() -> None:
    """Voice, audio, video, round video and animations are fetched like documents, once each."""
    part = {"file_id": "f", "duration": 3}
    names = {
        kind: [file.name for file in taken(**{kind: part}).files]
        for kind in ("voice", "audio", "video", "video_note")
    }
    assert names == {
        "voice": ["telegram-voice-20.ogg"],
        "audio": ["telegram-audio-20.mp3"],
        "video": ["telegram-video-20.mp4"],
        "video_note": ["telegram-video_note-20.mp4"],
    }
    assert len(taken(animation=part, document=part).files) == 1


def test_a_bot_knows_itself_by_its_token() -> None:
    """Without a configured identity the number in front of the token tells our own posts."""
    bot = replace(CREDENTIALS, identity="")
    ours: dict[str, Any] = {"from": BOT, "text": "x"}
    assert parsed(bot=bot, **ours) == Ignored(Reason.OWN_MESSAGE)


def test_senders_are_strangers() -> None:
    """Telegram vouches for nobody: a name is shown, trust is not given."""
    sender = taken(text="x", **{"from": {"id": 5, "username": "ada", "is_bot": True}}).sender
    assert (sender.id, sender.name, sender.bot, sender.trust) == ("5", "ada", True, "none")
    assert message()["from"] == ADA
