"""python-telegram-bot reads the recorded deliveries as we do."""

import json
from typing import Any

import pytest
from telegram import Message as TheirMessage
from telegram import Update
from telegram.constants import MessageLimit

from tests.contract.platforms.telegram import CREDENTIALS
from tests.events import Recorded, recordings
from threadline.core.message import Message, Messages
from threadline.core.posting import Reply
from threadline.platforms.telegram import PLATFORM
from threadline.platforms.telegram.render import MOST_ENTITIES

RECORDED = recordings("telegram")


def read(recorded: Recorded) -> tuple[Update, TheirMessage | None]:
    """Let the library read a delivery."""
    update = Update.de_json(json.loads(recorded.event["body"]), None)
    return update, update.message or update.edited_message


@pytest.mark.parametrize("recorded", RECORDED, ids=str)
def test_the_library_reads_every_recording(recorded: Recorded) -> None:
    """A recording is an update of the vendor's shape: nothing in it is unknown to the library."""
    update, message = read(recorded)
    assert not update.api_kwargs
    if message is not None:
        known = {"new_chat_participant", "new_chat_member"}
        assert not set(message.api_kwargs) - known


@pytest.mark.parametrize(
    "recorded", [r for r in RECORDED if r.expect["outcome"] == "accepted"], ids=str
)
def test_the_library_agrees(recorded: Recorded) -> None:
    """Ids, chat, sender, dates, texts, entities, topics and files are the same on both sides."""
    update, theirs = read(recorded)
    ours = one(recorded)
    assert theirs is not None
    assert theirs.from_user is not None
    assert ours.delivery.endswith(f"-{update.update_id}")
    assert ours.anchor == str(theirs.message_id)
    assert ours.chat == str(theirs.chat.id)
    assert ours.private == (theirs.chat.type == "private")
    assert ours.sender.id == str(theirs.from_user.id)
    assert ours.sender.name == theirs.from_user.full_name
    assert ours.sent_at == (theirs.edit_date or theirs.date).timestamp()
    assert ours.facts.get("thread") == thread(theirs)
    assert ours.text == spoken(theirs)
    assert {file.id for file in ours.files if not file.problem} == fetchable(theirs)


def test_limits_are_the_librarys() -> None:
    """The limits we render to are those the library knows of."""
    ours = (PLATFORM.traits.max_text, MOST_ENTITIES)
    assert ours == (int(MessageLimit.MAX_TEXT_LENGTH), int(MessageLimit.MESSAGE_ENTITIES))


def test_entities_point_where_the_library_looks() -> None:
    """The entities of a draft name the same stretches of text to the library as to us."""
    markdown = (
        "👍🏽 **bold 你好** and `code 🏭`\n\n```py\nx = '🚀'\n```\n[a link](https://example.com/x)"
    )
    (draft,) = PLATFORM.render(Reply(markdown))
    message: dict[str, Any] = {
        "message_id": 1,
        "date": 1,
        "chat": {"id": 1, "type": "private"},
        "text": draft.text,
        "entities": json.loads(draft.facts["entities"]),
    }
    theirs = TheirMessage.de_json(message, None)
    found = {entity.type: text for entity, text in theirs.parse_entities().items()}
    assert found == {
        "bold": "bold 你好", "code": "code 🏭", "pre": "x = '🚀'", "text_link": "a link",
    }  # fmt: skip


def one(recorded: Recorded) -> Message:
    """Parse a recording into its only message."""
    parsed = PLATFORM.parse(recorded.webhook, CREDENTIALS, 0.0)
    assert isinstance(parsed, Messages)
    return parsed.messages[0]


def thread(theirs: TheirMessage) -> str | None:
    """Give the forum topic as the library has it."""
    return str(theirs.message_thread_id) if theirs.is_topic_message else None


def spoken(theirs: TheirMessage) -> str:
    """Give the text without this bot's name where it only addresses, by the library's entities."""
    text = theirs.text or theirs.caption or ""
    found = theirs.parse_entities() or theirs.parse_caption_entities()
    for entity, said in found.items():
        if said.lower() == "@threadlinedemobot" and entity.offset == 0:
            return text.removeprefix(said).strip(" ,:")
        if entity.type == "bot_command" and "@" in said:
            return text.replace(said, said.partition("@")[0], 1)
    return text


def fetchable(theirs: TheirMessage) -> set[str]:
    """Give the ids of the files that can be fetched, by the library's own order of sizes."""
    largest = max(theirs.photo, key=lambda size: size.width * size.height, default=None)
    parts = [largest, theirs.document, theirs.voice]
    return {part.file_id for part in parts if part and (part.file_size or 0) <= 20_000_000}
